import Arguments
import Basics
import Bridge
import Posix
import Store
import Transfer

/// `config.json5` in the home: what a bridge does unless its command line says otherwise.
struct Settings: Equatable {
    var take = CaptureFilter.Kinds.both
    var formats: Set<String> = []
    var onlyProtected = false
    var minimumRating: Int?
    var minimumSize: UInt64 = 0
    var skipsDuplicates = true
    var deletesFromCard = false
    var listAgain = Duration.seconds(10)
    /// What was shot while no run was alive for longer is not taken unasked.
    var longestAbsence = Duration.seconds(6 * 3600)
    var reserve: UInt64?
    var retention = Retention.always
    var tidings = TidingsSettings()
    var attempts = 5
    var newestFirst = false
    var jobs = JobPolicy()
    /// Bytes a second that uploads by one network take together.
    var rate: UInt64?
    /// Certificates of a private authority, beside the system's.
    var privateCA: String?
    var keep: String?
    var keepName: String?
    var cameraWait: Duration?
    var cameraName: String?
    /// How long a camera may send nothing in the middle of a photo.
    var cameraPatience: Duration?
    /// Cameras that differ from others.
    var bodies: [BodySettings] = []
    var network = NetworkSettings()

    /// How deliveries are tried.
    var deliveries: UploadScheduler.Settings {
        var deliveries = UploadScheduler.Settings()
        deliveries.attempts = attempts
        deliveries.newestFirst = newestFirst
        return deliveries
    }

    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    static let limit = 1 << 20

    /// The home's settings; the usual ones where there is no such file.
    static func read(from home: Home) throws -> Settings {
        let path = home.settings
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.contents(of: path, limit: limit)
        } catch {
            if error.kind == .missing { return Settings() }
            throw error
        }
        do {
            return try Settings(try JSON5.parse(bytes), path: path)
        } catch let error as JSON5Error {
            throw Unusable(description: "\(path): \(error)")
        }
    }

    init() {}

    init(_ value: JSONValue, path: String) throws {
        var section = try SettingsSection(value, named: nil, in: path)
        try section.inner("transfer") { section in
            try section.choice("take", CaptureFilter.Kinds.allCases.map(\.rawValue)) {
                take = CaptureFilter.Kinds(rawValue: $0) ?? .both
            }
            try section.texts("formats") { formats = Set($0.map { CaptureFilter.usual($0) }) }
            try section.flag("onlyProtected") { onlyProtected = $0 }
            try section.number("minimumRating", 0...5) { minimumRating = $0 }
            try section.size("minimumSize") { minimumSize = $0 }
            try section.choice("duplicates", ["skip", "keep"]) { skipsDuplicates = $0 == "skip" }
            try section.choice("doubtful", ["deliver", "hold"]) { jobs.holdsBackDoubtful = $0 == "hold" }
            try section.flag("deleteFromCard") { deletesFromCard = $0 }
            try section.time("listAgain", .seconds(1) ... .seconds(3600)) { listAgain = $0 }
            try section.time("longestAbsence", .seconds(60) ... .seconds(366 * 86_400)) {
                longestAbsence = $0
            }
        }
        try section.inner("spool") { section in
            try section.size("reserve") { reserve = $0 }
            var wish: String?
            try section.text("keep") { wish = $0 }
            guard let wish else { return }
            guard let known = Retention(wish) else {
                throw section.unusable(
                    "keep", "is \(Retention.words), not \(JSONValue.string(wish).compact)")
            }
            retention = known
        }
        try section.inner("hooks") { section in try tidings.readHooks(&section) }
        try section.objects("webhooks") { section in try tidings.readWebhook(&section) }
        try section.inner("deliver") { section in
            try section.number("attempts", 0...1000) { attempts = $0 }
            try section.choice("order", ["oldest", "newest"]) { newestFirst = $0 == "newest" }
            try section.size("small") { jobs.small = $0 }
            try section.size("rate") { rate = $0 }
            try section.text("privateCA") { privateCA = $0 }
            try section.inner("within") { section in
                let range = Duration.seconds(1) ... .seconds(86_400)
                try section.time("first", range) { jobs.within[.first] = $0 }
                try section.time("later", range) { jobs.within[.later] = $0 }
            }
        }
        try section.inner("keep") { section in
            try section.text("folder") { keep = $0 }
            try section.text("name") { keepName = $0 }
        }
        try section.inner("camera") { section in
            try section.text("name") { cameraName = $0 }
            try section.time("wait", .seconds(1) ... .seconds(86_400)) { cameraWait = $0 }
            try section.time("patience", .seconds(1) ... .seconds(3600)) { cameraPatience = $0 }
        }
        try section.objects("cameras") { section in bodies.append(try BodySettings(&section)) }
        try section.inner("network") { section in try network.read(&section) }
        try section.end()
    }
}

/// One object of the settings: every key is asked for once, and what is left over is an error.
struct SettingsSection {
    private let path: String
    private let name: String?
    private var members: [String: JSONValue]
    private var known: [String] = []

    init(_ value: JSONValue, named name: String?, in path: String) throws {
        self.path = path
        self.name = name
        guard let members = value.members else {
            throw Settings.Unusable(description: "\(path): \(name ?? "the whole") is an object in braces.")
        }
        self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    }

    private func whole(_ key: String) -> String { name.map { "\($0).\(key)" } ?? key }

    private mutating func take(_ key: String) -> JSONValue? {
        known.append(key)
        return members.removeValue(forKey: key)
    }

    private func wrong(_ key: String, _ wanted: String, _ value: JSONValue) -> Settings.Unusable {
        Settings.Unusable(description: "\(path): \(whole(key)) is \(wanted), not \(value.compact).")
    }

    mutating func inner(_ key: String, _ body: (inout SettingsSection) throws -> Void) throws {
        guard let value = take(key) else { return }
        var section = try SettingsSection(value, named: whole(key), in: path)
        try body(&section)
        try section.end()
    }

    /// A list of objects.
    mutating func objects(_ key: String, _ body: (inout SettingsSection) throws -> Void) throws {
        guard let value = take(key) else { return }
        // What is in there may be a secret, and is not shown.
        guard let list = value.array else { throw unusable(key, "is a list of objects in braces") }
        for (index, element) in list.enumerated() {
            var section = try SettingsSection(element, named: "\(whole(key))[\(index)]", in: path)
            try body(&section)
            try section.end()
        }
    }

    /// About a key, without its value, which may be a secret.
    func unusable(_ key: String, _ reason: String) -> Settings.Unusable {
        Settings.Unusable(description: "\(path): \(whole(key)) \(reason).")
    }

    /// An object whose keys are names that the operator gives.
    mutating func each(_ key: String, _ body: (String, inout SettingsSection) throws -> Void) throws {
        try inner(key) { section in
            for name in section.members.keys.sorted() {
                try section.inner(name) { inner in try body(name, &inner) }
            }
        }
    }

    /// A key that was not read is misspelt, and would have no effect without a word.
    func end() throws {
        guard let key = members.keys.min() else { return }
        let near = Nearest.to(key, among: known).map { "did you mean '\(whole($0))'?" }
        throw Settings.Unusable(
            description:
                "\(path): there is no setting '\(whole(key))'; \(near ?? "there are \(known.joined(separator: ", ")).")"
        )
    }

    mutating func text(
        _ key: String, isSecret: Bool = false, _ body: (String) throws -> Void
    ) throws {
        guard let value = take(key) else { return }
        guard let text = value.string else {
            throw isSecret ? unusable(key, "is a text") : wrong(key, "a text", value)
        }
        try body(text)
    }

    mutating func texts(_ key: String, _ body: ([String]) -> Void) throws {
        guard let value = take(key) else { return }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw wrong(key, "a list of texts", value)
        }
        body(texts.compactMap { $0 })
    }

    mutating func flag(_ key: String, _ body: (Bool) -> Void) throws {
        guard let value = take(key) else { return }
        guard let flag = value.bool else { throw wrong(key, "true or false", value) }
        body(flag)
    }

    mutating func number(_ key: String, _ range: ClosedRange<Int64>, _ body: (Int) -> Void) throws {
        guard let value = take(key) else { return }
        guard let number = value.integer, range.contains(number) else {
            throw wrong(key, "a number from \(range.lowerBound) to \(range.upperBound)", value)
        }
        body(Int(number))
    }

    /// A bare number is bytes.
    mutating func size(_ key: String, _ body: (UInt64) -> Void) throws {
        guard let value = take(key) else { return }
        let size = value.string.flatMap { Values.size($0) } ?? value.integer.flatMap { UInt64(exactly: $0) }
        guard let size else { throw wrong(key, "a size such as \"2GiB\"", value) }
        body(size)
    }

    mutating func time(_ key: String, _ range: ClosedRange<Duration>, _ body: (Duration) -> Void) throws {
        guard let value = take(key) else { return }
        guard let time = value.string.flatMap({ Values.duration($0) }), range.contains(time) else {
            throw wrong(key, "a time such as \"10s\" from \(range.lowerBound) to \(range.upperBound)", value)
        }
        body(time)
    }

    /// One or more of these.
    mutating func choices(_ key: String, _ choices: [String], _ body: ([String]) -> Void) throws {
        guard let value = take(key) else { return }
        let texts = value.array?.map(\.string) ?? []
        guard !texts.isEmpty, texts.allSatisfy({ $0.map(choices.contains) ?? false }) else {
            throw wrong(key, "a list of \(choices.joined(separator: ", "))", value)
        }
        body(texts.compactMap { $0 })
    }

    mutating func choice(_ key: String, _ choices: [String], _ body: (String) -> Void) throws {
        guard let value = take(key) else { return }
        guard let text = value.string, choices.contains(text) else {
            let near = value.string.flatMap { Nearest.to($0, among: choices) }
            let suggestion = near.map { " Did you mean '\($0)'?" } ?? ""
            throw Settings.Unusable(
                description:
                    "\(wrong(key, "one of \(choices.joined(separator: ", "))", value))\(suggestion)")
        }
        body(text)
    }
}
