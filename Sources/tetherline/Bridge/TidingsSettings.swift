import Arguments
import Bridge
import Posix
import Upload

/// What the operator's own programs are told: `hooks` and `webhooks`.
struct TidingsSettings: Equatable {
    var hooks = HookRunner.Settings()
    var webhooks: [Webhook] = []

    struct Webhook: Equatable {
        let address: WebhookAddress
        let secret: [UInt8]
        let hears: Set<Tidings>

        var hearer: WebhookSender.Hearer { WebhookSender.Hearer(address, secret: secret) }
    }

    /// For the ledger, which writes down what each is to be told.
    var listeners: [Listener] {
        webhooks.map { Listener(url: $0.address.url, hears: $0.hears) }
    }

    private static let mostWebhooks = 20
    /// A secret that can be guessed signs nothing.
    private static let secretLengths = 16...1024

    mutating func readHooks(_ section: inout SettingsSection) throws {
        try section.text("onStaged") { hooks.programs[.staged] = $0 }
        try section.text("onCompleted") { hooks.programs[.completed] = $0 }
        try section.number("atMost", 1...64) { hooks.atMost = $0 }
        try section.time("within", .seconds(1) ... .seconds(3600)) { hooks.within = $0 }
    }

    mutating func readWebhook(_ section: inout SettingsSection) throws {
        guard webhooks.count < Self.mostWebhooks else {
            throw section.unusable("url", "is one too many; there are at most \(Self.mostWebhooks) webhooks")
        }
        var url: String?
        try section.text("url") { url = $0 }
        guard let url else { throw section.unusable("url", "is missing") }
        let address: WebhookAddress
        do throws(WebhookAddress.Invalid) {
            address = try WebhookAddress(url)
        } catch {
            throw section.unusable("url", "cannot be used: \(error)")
        }
        guard !webhooks.contains(where: { $0.address.url == address.url }) else {
            throw section.unusable("url", "is the same as that of another webhook")
        }
        let secret = try readSecret(&section)
        var hears: Set<Tidings> = Set(Tidings.allCases)
        try section.choices("on", Tidings.allCases.map(\.rawValue)) { words in
            hears = Set(words.compactMap { Tidings(rawValue: $0) })
        }
        webhooks.append(Webhook(address: address, secret: secret, hears: hears))
    }

    private func readSecret(_ section: inout SettingsSection) throws -> [UInt8] {
        var written: [UInt8]?
        var file: String?
        try section.text("secret", isSecret: true) { written = Array($0.utf8) }
        try section.text("secretFile") { file = $0 }
        guard (written == nil) != (file == nil) else {
            throw section.unusable("secret", "is given, or 'secretFile', and not both")
        }
        var secret = written ?? []
        if let file {
            guard file.hasPrefix("/") else {
                throw section.unusable("secretFile", "is a path from the root on")
            }
            secret = try ReadableFile.contents(of: file, limit: Self.secretLengths.upperBound + 2)
            // Editors end a file with a line's end.
            while let last = secret.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
                secret.removeLast()
            }
        }
        guard Self.secretLengths.contains(secret.count) else {
            let lengths = Self.secretLengths
            throw section.unusable(
                file == nil ? "secret" : "secretFile",
                "holds from \(lengths.lowerBound) to \(lengths.upperBound) characters; 'openssl rand -hex 32' makes a good one"
            )
        }
        return secret
    }

    /// Whether the programs can be run, with their paths from the root on: before anything begins, because a hook that
    /// never runs is noticed too late.
    func checked() throws -> TidingsSettings {
        var checked = self
        for (tidings, program) in hooks.programs {
            let option = "--on-\(tidings.rawValue)"
            guard let path = Directory.absolute(program) else {
                throw UsageError("\(option) names a program, not '\(program)'.")
            }
            do throws(SystemError) {
                try ChildProcess.check(path)
            } catch {
                if error.kind == .missing { throw NothingThere(description: "\(option): \(error)") }
                throw UsageError("\(option): \(error)")
            }
            checked.hooks.programs[tidings] = path
        }
        return checked
    }
}

extension Retention {
    /// As `spool.keep` and `--retention` say it.
    static let words = "delete, keep-until-full, keep, or keep with a time such as \"keep 7d\""
}
