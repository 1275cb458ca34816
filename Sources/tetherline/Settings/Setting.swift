import Arguments
import Basics

/// One word of `config.json5` or of an object in it: what it may be, where it goes, and which option says the same.
struct Setting<Root> {
    enum Content {
        case value((inout Root, any SettingSource) throws -> Void, shown: (Root) -> JSONValue)
        case section([Setting])
        /// `shown` is what may be seen of one of its values, by the key that it has.
        case objects((inout Root, SettingsObject) throws -> Void, shown: (String, JSONValue) -> JSONValue)
        /// An object whose keys are names that the operator gives.
        case named((inout Root, String, SettingsObject) throws -> Void)
    }

    let key: String
    let option: SettingOption?
    /// Is not shown when it cannot be used.
    let isSecret: Bool
    let content: Content

    /// `read` says which values there are: what it does not take is an error that names the key or the option.
    /// `shown` is the other way round, where a value is written otherwise than others of its type.
    init<Value>(
        _ key: String, option: SettingOption? = nil, isSecret: Bool = false,
        _ path: WritableKeyPath<Root, Value>,
        shown: @escaping (Value) -> JSONValue = { SettingText.shown($0) },
        _ read: @escaping (any SettingSource) throws -> Value
    ) {
        self.init(
            key, option, isSecret: isSecret,
            Content.value(
                { root, source in root[keyPath: path] = try read(source) },
                shown: { shown($0[keyPath: path]) }))
    }

    /// One that goes by what others before it have said; nothing where it is not written.
    init(_ key: String, _ read: @escaping (inout Root, any SettingSource) throws -> Void) {
        self.init(key, nil, isSecret: false, .value(read, shown: { _ in .null }))
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
        _ key: String, shown: @escaping (String, JSONValue) -> JSONValue = { $1 },
        _ read: @escaping (inout Root, SettingsObject) throws -> Void
    ) -> Setting {
        Setting(key, nil, isSecret: false, .objects(read, shown: shown))
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
        case .value(let set, _):
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
            throw Settings.Unusable(path, key: name ?? "", "\(name ?? "the whole") is an object in braces.")
        }
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    }

    /// As `config set` takes it.
    private func whole(_ key: String) -> String {
        let key = SettingKey.spelled(key)
        return name.map { "\($0).\(key)" } ?? key
    }

    /// About a key, without its value, which may be a secret.
    func unusable(_ key: String, _ reason: String) -> Settings.Unusable {
        Settings.Unusable(path, key: whole(key), "\(whole(key)) \(reason).")
    }

    /// What it says of these. All that is wrong in it is said at once.
    func read<Root>(_ settings: [Setting<Root>], into root: inout Root) throws {
        var mistakes = Settings.Unusable(path)
        for setting in settings {
            guard let value = members[setting.key] else { continue }
            try mistakes.collect { try read(setting, value, into: &root) }
        }
        let known = settings.map(\.key)
        for key in members.keys.filter({ !known.contains($0) }).sorted() {
            let near = Nearest.to(key, among: known).map { "did you mean '\(whole($0))'?" }
            mistakes.add(
                whole(key),
                "there is no setting '\(whole(key))'; \(near ?? "there are \(known.joined(separator: ", ")).")"
            )
        }
        try mistakes.check()
    }

    private func read<Root>(_ setting: Setting<Root>, _ value: JSONValue, into root: inout Root) throws {
        let name = whole(setting.key)
        switch setting.content {
        case .value(let set, _):
            try set(&root, FileValue(value: value, key: name, path: path, isSecret: setting.isSecret))
        case .section(let settings):
            try SettingsObject(value, named: name, in: path).read(settings, into: &root)
        case .objects(let add, _):
            // What is in there may be a secret, and is not shown.
            guard let list = value.array else {
                throw unusable(setting.key, "is a list of objects in braces")
            }
            var mistakes = Settings.Unusable(path)
            for (index, element) in list.enumerated() {
                try mistakes.collect {
                    try add(&root, SettingsObject(element, named: "\(name)[\(index)]", in: path))
                }
            }
            try mistakes.check()
        case .named(let add):
            let objects = try SettingsObject(value, named: name, in: path)
            var mistakes = Settings.Unusable(path)
            for (key, value) in objects.members.sorted(by: { $0.key < $1.key }) {
                try mistakes.collect {
                    try add(&root, key, SettingsObject(value, named: objects.whole(key), in: path))
                }
            }
            try mistakes.check()
        }
    }
}
