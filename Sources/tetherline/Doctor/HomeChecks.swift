import Arguments
import Basics
import Bridge
import HTTPClient
import Posix
import Store
import Upload

/// Whose the home is, and who else may write there.
struct HomeCheck: HealthCheck {
    let name = "home"

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let home = subject.home
        let folder: Directory
        do throws(SystemError) {
            folder = try Directory(path: home.path)
        } catch {
            guard error.kind == .missing else { throw error }
            return [
                .warning(
                    "\(home.path) is not there: no bridge has run in this home yet.",
                    cure:
                        "'tetherline camera discover' looks for your camera; 'tetherline run --camera HOST --event NAME "
                        + "--destination file:///absolute/path' makes the home and begins. Another home is named with --home."
                )
            ]
        }
        var findings = [Self.finding(home.path, try folder.facts(), "chmod 700")]
        for name in ["config.json5", CredentialsFile.fileName, Ledger.fileName] {
            guard let facts = try folder.facts(of: name) else { continue }
            findings.append(Self.finding("\(home.path)/\(name)", facts, "chmod 600"))
        }
        let bad = findings.compactMap { $0 }
        return bad.isEmpty ? [.ok("\(home.path) is yours, and no other user may write there.")] : bad
    }

    private static func finding(_ path: String, _ facts: FileFacts, _ mend: String) -> Finding? {
        if facts.owner != Program.user {
            return .failed(
                "\(path) belongs to user \(facts.owner), and you are user \(Program.user): what stands there may not be yours.",
                cure:
                    "Look at what is in it; then 'sudo chown -R $(id -un) \(path)', or name a home of your own with --home.",
                .noPermission)
        }
        guard facts.isWritableByOthers else { return nil }
        return .failed(
            "other users may write to \(path): they could change where photos go, and run programs as you.",
            cure: "'\(mend) \(path)' keeps them out.", .noPermission)
    }
}

/// Whether config.json5 can be read, and the files that it names.
struct SettingsCheck: HealthCheck {
    let name = "settings"

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let path = subject.home.settings
        let settings: Settings
        do {
            settings = try Settings.read(from: subject.home)
        } catch let error as Settings.Unusable {
            return [
                .failed(
                    "\(error)",
                    cure: "Correct that in \(path); the article Configuration lists the settings.",
                    .configuration)
            ]
        }
        var findings: [Finding] = []
        if let file = settings.http.privateCA {
            do throws(SystemError) {
                _ = try ReadableFile(path: file)
            } catch {
                findings.append(
                    .failed(
                        "the setting privateCA names \(file), which cannot be read: \(error.reason)",
                        cure: "Put the certificate there, or correct the setting in \(path).", .configuration)
                )
            }
        }
        if !findings.isEmpty { return findings }
        do throws(SystemError) {
            _ = try ReadableFile(path: path)
        } catch {
            guard error.kind == .missing else { throw error }
            return [.ok("there is no \(path); the usual settings are used.")]
        }
        return [.ok("\(path) can be used.")]
    }
}

/// Whether another bridge works in this home, and answers.
struct BridgeCheck: HealthCheck {
    let name = "bridge"
    private static let patience = Duration.seconds(2)

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let home = subject.home
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        do {
            if let status = try await CommandRouter.ask(
                request, in: home, on: subject.reactor, timeout: Self.patience)
            {
                let event = status["event"]?["name"]?.string ?? "no event"
                guard status["paused"]?.bool == true else {
                    return [.ok("a bridge runs here for '\(event)'.")]
                }
                return [
                    .warning(
                        "a bridge runs here for '\(event)', and deliveries are paused.",
                        cure: "'tetherline resume' goes on.")
                ]
            }
        } catch let error as SystemError {
            return [
                .failed(
                    "a bridge runs here and does not answer: \(error)",
                    cure:
                        "Give it a minute; then end it (Ctrl-C, or 'systemctl restart' where it is a service). No photo is lost "
                        + "by that.", .unavailable)
            ]
        }
        switch subject.holder {
        case nil: return [.ok("no bridge runs in this home.")]
        case .system(let error)?: throw error
        case .held?:
            return [
                .failed(
                    "no bridge answers, and \(subject.holder.map { "\($0)" } ?? "")",
                    cure:
                        "It may be starting, or mending something: run 'tetherline doctor' again in a minute.",
                    .tryAgain)
            ]
        }
    }
}

/// Whether there is an event, and where its photos go.
struct EventCheck: HealthCheck {
    let name = "event"

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        guard let reader = try subject.reader() else {
            return [
                .warning(
                    "there is no event yet.",
                    cure:
                        "'tetherline run --camera HOST --event NAME --destination file:///absolute/path' makes one."
                )
            ]
        }
        guard let event = try reader.currentEvent() ?? reader.selection()?.event else {
            return [
                .warning(
                    "there is no event in this home yet.",
                    cure:
                        "'tetherline run --event NAME' makes one; 'tetherline events select NAME' chooses a gallery's."
                )
            ]
        }
        let counts = try reader.counts(of: event.id)
        var findings: [Finding] = []
        if try reader.destinations(of: event.id).isEmpty {
            findings.append(
                .warning(
                    "the photos of '\(event.name)' go nowhere: it has no destination.",
                    cure: "'tetherline destination add URL' names one."))
        }
        if counts.failed > 0 {
            findings.append(
                .warning(
                    "\(counts.failed) photos or deliveries of '\(event.name)' wait for you.",
                    cure:
                        "'tetherline jobs --state failed' and 'tetherline captures --state lost' name them, 'tetherline why PHOTO' "
                        + "tells why, and 'tetherline retry --failed' begins them again."))
        }
        if try reader.windows(of: event.id).last?.closedAt != nil {
            findings.append(
                .warning(
                    "'\(event.name)' is closed: what is shot now stays on the card.",
                    cure: "'tetherline run --event '\(event.name)'' opens it again."))
        }
        return findings.isEmpty
            ? [.ok("'\(event.name)' takes photos, and none of them waits for you.")] : findings
    }
}
