import Arguments
import Basics

/// One word of `config.json5` or of an object in it: what it may be, where it goes, and which option says the same.
struct Setting<Root> {
    enum Content {
        case value((inout Root, any SettingSource) throws -> Void)
        case section([Setting])
        case objects((inout Root, SettingsObject) throws -> Void)
        /// An object whose keys are names that the operator gives.
        case named((inout Root, String, SettingsObject) throws -> Void)
    }

    let key: String
    let option: SettingOption?
    /// Is not shown when it cannot be used.
    let isSecret: Bool
    let content: Content

    /// `read` says which values there are: what it does not take is an error that names the key or the option.
    init<Value>(
        _ key: String, option: SettingOption? = nil, isSecret: Bool = false,
        _ path: WritableKeyPath<Root, Value>,
        _ read: @escaping (any SettingSource) throws -> Value
    ) {
        self.init(
            key, option, isSecret: isSecret,
            Content.value { root, source in root[keyPath: path] = try read(source) })
    }

    private init(_ key: String, _ option: SettingOption?, isSecret: Bool, _ content: Content) {
        self.key = key
        self.option = option
        self.isSecret = isSecret
        self.content = content
    }

    static func section(_ key: String, _ settings: [Setting]) -> Setting {
        Setting(key, nil, isSecret: false, .section(settings))
    }

    static func objects(
        _ key: String, _ read: @escaping (inout Root, SettingsObject) throws -> Void
    ) -> Setting {
        Setting(key, nil, isSecret: false, .objects(read))
    }

    static func named(
        _ key: String, _ read: @escaping (inout Root, String, SettingsObject) throws -> Void
    ) -> Setting {
        Setting(key, nil, isSecret: false, .named(read))
    }

    /// What the command line says of it, if it does.
    func apply(_ invocation: Invocation, to root: inout Root) throws {
        switch content {
        case .section(let settings):
            for setting in settings { try setting.apply(invocation, to: &root) }
        case .value(let set):
            guard let option, option.isGiven(in: invocation) else { return }
            try set(&root, OptionValue(option: option, invocation: invocation))
        case .objects, .named: return
        }
    }
}

/// The option of a command line that says what a setting says.
struct SettingOption: ExpressibleByStringLiteral {
    let name: String
    /// Of a flag: the word of the setting that it stands for.
    private(set) var word: String?

    init(stringLiteral name: String) { self.name = name }

    static func flag(_ name: String, for word: String) -> SettingOption {
        var option = SettingOption(stringLiteral: name)
        option.word = word
        return option
    }

    func isGiven(in invocation: Invocation) -> Bool {
        invocation.has(name) || invocation.value(name) != nil
    }
}

/// One object of the settings. A key that it does not know is an error: it is misspelt, and would have no effect.
struct SettingsObject {
    private let path: String
    private let name: String?
    private let members: [String: JSONValue]

    init(_ value: JSONValue, named name: String?, in path: String) throws {
        self.path = path
        self.name = name
        guard let members = value.members else {
            throw Settings.Unusable(description: "\(path): \(name ?? "the whole") is an object in braces.")
        }
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    }

    private func whole(_ key: String) -> String { name.map { "\($0).\(key)" } ?? key }

    /// About a key, without its value, which may be a secret.
    func unusable(_ key: String, _ reason: String) -> Settings.Unusable {
        Settings.Unusable(description: "\(path): \(whole(key)) \(reason).")
    }

    /// What it says of these.
    func read<Root>(_ settings: [Setting<Root>], into root: inout Root) throws {
        for setting in settings {
            guard let value = members[setting.key] else { continue }
            try read(setting, value, into: &root)
        }
        let known = settings.map(\.key)
        guard let key = members.keys.filter({ !known.contains($0) }).min() else { return }
        let near = Nearest.to(key, among: known).map { "did you mean '\(whole($0))'?" }
        throw Settings.Unusable(
            description:
                "\(path): there is no setting '\(whole(key))'; \(near ?? "there are \(known.joined(separator: ", ")).")"
        )
    }

    private func read<Root>(_ setting: Setting<Root>, _ value: JSONValue, into root: inout Root) throws {
        let name = whole(setting.key)
        switch setting.content {
        case .value(let set):
            try set(&root, FileValue(value: value, key: name, path: path, isSecret: setting.isSecret))
        case .section(let settings):
            try SettingsObject(value, named: name, in: path).read(settings, into: &root)
        case .objects(let add):
            // What is in there may be a secret, and is not shown.
            guard let list = value.array else {
                throw unusable(setting.key, "is a list of objects in braces")
            }
            for (index, element) in list.enumerated() {
                try add(&root, SettingsObject(element, named: "\(name)[\(index)]", in: path))
            }
        case .named(let add):
            let objects = try SettingsObject(value, named: name, in: path)
            for (key, value) in objects.members.sorted(by: { $0.key < $1.key }) {
                try add(&root, key, SettingsObject(value, named: "\(name).\(key)", in: path))
            }
        }
    }
}
