import Arguments
import Basics
import Bridge
import Posix
import Upload

/// What the operator's own programs are told: `hooks` and `webhooks`.
struct NotificationSettings {
    var hooks = HookRunner.Settings()
    var webhooks: [Entry] = []

    struct Entry {
        let address: WebhookAddress
        let secret: [UInt8]
        let hears: Set<PhotoEvent>

        var recipient: WebhookSender.Recipient { WebhookSender.Recipient(address, secret: secret) }
    }

    /// For the ledger, which writes down what each is to be told.
    var listeners: [Webhook] {
        webhooks.map { Webhook(url: $0.address.url, hears: $0.hears) }
    }

    private static let mostWebhooks = 20
    /// A secret that can be guessed signs nothing.
    private static let secretLengths = 16...1024

    /// One object of `webhooks`.
    private struct Said {
        var url: String?
        var secret: String?
        var secretFile: String?
        var hears = PhotoEvent.allCases
    }

    private static var table: [Setting<Said>] {
        [
            Setting("url", \.url) { try $0.text() },
            Setting("secret", isSecret: true, \.secret) { try $0.text() },
            Setting("secretFile", \.secretFile) { try $0.text() },
            Setting("on", \.hears) { try $0.words() },
        ]
    }

    /// What may be seen of a value of a webhook. The way behind its host is a secret as often as not.
    static func shown(_ key: String, _ value: JSONValue) -> JSONValue {
        switch key {
        case "secret": return .null
        case "url":
            do throws(WebhookAddress.Invalid) {
                return .string(try WebhookAddress(value.string ?? "").name)
            } catch {
                return .null
            }
        default: return value
        }
    }

    mutating func addWebhook(_ object: SettingsObject) throws {
        guard webhooks.count < Self.mostWebhooks else {
            throw object.unusable("url", "is one too many; there are at most \(Self.mostWebhooks) webhooks")
        }
        var said = Said()
        try object.read(Self.table, into: &said)
        guard let url = said.url else { throw object.unusable("url", "is missing") }
        let address: WebhookAddress
        do throws(WebhookAddress.Invalid) {
            address = try WebhookAddress(url)
        } catch {
            throw object.unusable("url", "cannot be used: \(error)")
        }
        guard !webhooks.contains(where: { $0.address.url == address.url }) else {
            throw object.unusable("url", "is the same as that of another webhook")
        }
        webhooks.append(
            Entry(
                address: address, secret: try Self.secret(said.secret, in: said.secretFile, object),
                hears: Set(said.hears)))
    }

    /// What messages are signed with: as it is written, or as it stands in a file.
    static func secret(
        _ written: String?, in file: String?, _ object: SettingsObject
    ) throws -> [UInt8] {
        guard (written == nil) != (file == nil) else {
            throw object.unusable("secret", "is given, or 'secretFile', and not both")
        }
        var secret = written.map { Array($0.utf8) } ?? []
        if let file {
            guard file.hasPrefix("/") else {
                throw object.unusable("secretFile", "is a path from the root on")
            }
            do throws(SystemError) {
                secret = try ReadableFile.contents(of: file, limit: secretLengths.upperBound + 2)
            } catch {
                throw object.unusable("secretFile", "cannot be read: \(error)")
            }
            // Editors end a file with a line's end.
            while let last = secret.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
                secret.removeLast()
            }
        }
        guard secretLengths.contains(secret.count) else {
            throw object.unusable(
                file == nil ? "secret" : "secretFile",
                "holds from \(secretLengths.lowerBound) to \(secretLengths.upperBound) characters; 'openssl rand -hex 32' makes a good one"
            )
        }
        return secret
    }

    /// Why a program cannot be run, and what a command that was told to run it ends with.
    struct HookProblem: Error, CustomStringConvertible {
        let description: String
        let isMissing: Bool
    }

    static func problem(withHook program: String) -> HookProblem? {
        guard let path = Directory.absolute(program) else {
            return HookProblem(description: "'\(program)' names no program.", isMissing: false)
        }
        do throws(SystemError) {
            try ChildProcess.check(path)
            return nil
        } catch {
            return HookProblem(description: "\(error)", isMissing: error.kind == .missing)
        }
    }

    /// The programs with their paths from the root on, those that the command line names looked at: before anything begins,
    /// because a hook that never runs is noticed too late.
    func checked(given: Set<PhotoEvent>) throws -> NotificationSettings {
        var checked = self
        for (happening, program) in hooks.programs {
            if given.contains(happening), let problem = Self.problem(withHook: program) {
                let sentence = "--\(happening.hookOption): \(problem)"
                if problem.isMissing { throw NothingThere(description: sentence) }
                throw UsageError(sentence)
            }
            checked.hooks.programs[happening] = Directory.absolute(program)
        }
        return checked
    }
}
