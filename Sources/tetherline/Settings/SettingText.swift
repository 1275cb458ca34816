import Arguments
import Basics
import Upload

/// Every setting as an operator would write it, with where it comes from.
struct SettingText {
    let key: String
    let value: JSONValue
    /// Its line in the file; nothing where the file does not have it.
    let line: Int?
    let option: String?
    /// There is one, and it is not shown.
    let isHidden: Bool

    /// The settings of the table, without lists of objects and names that the operator gives.
    static var keys: [String] { keys(of: Settings.table, in: "") }

    private static func keys(of settings: [Setting<Settings>], in prefix: String) -> [String] {
        settings.flatMap { setting -> [String] in
            switch setting.content {
            case .section(let inner): keys(of: inner, in: "\(prefix)\(setting.key).")
            case .value: [prefix + setting.key]
            case .objects, .named: []
            }
        }
    }

    /// A value of the usual settings, which are none of the kinds that a file alone has.
    static func shown(_ value: Any) -> JSONValue {
        switch value {
        case let flag as Bool: .bool(flag)
        case let number as Int: .integer(Int64(number))
        case let size as UInt64: .string(Values.text(ofSize: size))
        case let time as Duration: .string(Values.text(of: time))
        case let text as String: .string(text)
        case let word as any RawRepresentable: (word.rawValue as? String).map(JSONValue.string) ?? .null
        case let list as any Collection: list.isEmpty ? .array([]) : .null
        default: .null
        }
    }

    /// All of the table, in its order, and what the file has besides: the elements of lists, and names.
    static func all(of file: SettingsFile?) -> [SettingText] {
        var listing = Listing(file: file)
        listing.add(Settings.table, in: "", file?.document.value)
        return listing.found
    }

    private struct Listing {
        let file: SettingsFile?
        let usual = Settings()
        var found: [SettingText] = []

        mutating func add(_ settings: [Setting<Settings>], in prefix: String, _ value: JSONValue?) {
            for setting in settings {
                let key = prefix + setting.key
                let given = value?[setting.key]
                switch setting.content {
                case .section(let inner): add(inner, in: key + ".", given)
                case .value(_, let shown):
                    if let given {
                        add(key, setting.isSecret ? Self.withoutPasswords(given) : given, setting.option)
                    } else {
                        add(key, shown(usual), setting.option)
                    }
                case .objects(_, let shown): addAll(below: key, given, shown)
                case .named: addAll(below: key, given) { $1 }
                }
            }
        }

        private mutating func add(_ key: String, _ value: JSONValue, _ option: SettingOption?) {
            let line = SettingKey(key).flatMap { file?.document.line(of: $0.path) }
            found.append(
                SettingText(key: key, value: value, line: line, option: option?.name, isHidden: false))
        }

        private mutating func addAll(
            below key: String, _ value: JSONValue?, _ shown: (String, JSONValue) -> JSONValue
        ) {
            var objects: [(key: String, value: JSONValue)] = []
            for (index, element) in (value?.array ?? []).enumerated() {
                objects.append((key: "\(key)[\(index)]", value: element))
            }
            for (name, element) in value?.members ?? [] {
                objects.append((key: "\(key).\(SettingKey.spelled(name))", value: element))
            }
            if objects.isEmpty { add(key, .array([]), nil) }
            for object in objects {
                for (inner, value) in object.value.members ?? [] {
                    let whole = "\(object.key).\(inner)"
                    let seen = shown(inner, value)
                    let line = SettingKey(whole).flatMap { file?.document.line(of: $0.path) }
                    found.append(
                        SettingText(
                            key: whole, value: seen, line: line, option: nil,
                            isHidden: seen == .null && value != .null))
                }
            }
        }

        /// The addresses of a file hold none, or it cannot be used; here nothing depends on that.
        private static func withoutPasswords(_ value: JSONValue) -> JSONValue {
            .array((value.array ?? []).map { .string(AddressParts.withoutPassword($0.string ?? "")) })
        }
    }
}
