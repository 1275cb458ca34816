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
                        "'tetherline setup' asks for everything in turn, and makes it. Step by step: 'tetherline camera discover' "
                        + "looks for your camera, and 'tetherline run --camera HOST --event NAME --destination "
                        + "file:///absolute/path' begins. Another home is named with --home."
                )
            ]
        }
        let whole = try folder.facts()
        guard whole.owner == Program.user else {
            return [
                .failed(
                    "\(home.path) belongs to user \(whole.owner), and you are user \(Program.user): nothing more was looked at.",
                    cure:
                        "'sudo -u '#\(whole.owner)' tetherline doctor --home \(home.path)' looks as that user; a home of your own "
                        + "is named with --home.", .noPermission)
            ]
        }
        let exposures = try home.exposures()
        guard exposures.isEmpty else {
            return exposures.map { .failed($0.sentence, cure: $0.cure, .noPermission) }
        }
        return [.ok("\(home.path) is yours, and no other user may write there.")]
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
        let problems = settings.fileProblems()
        guard problems.isEmpty else {
            return problems.map {
                .failed(
                    "the setting \($0.key) names what cannot be used: \($0.sentence)",
                    cure: "Put it there, or correct the setting in \(path).", .configuration)
            }
        }
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
        let reader = try subject.reader()
        guard let next = try NextEvent(of: subject) else {
            return [
                .warning(
                    "there is no event yet.",
                    cure:
                        "'tetherline setup destination' asks for it and where its photos go; 'tetherline run --camera HOST "
                        + "--event NAME --destination file:///absolute/path' makes one; 'tetherline events select NAME' "
                        + "chooses a gallery's."
                )
            ]
        }
        var findings: [Finding] = []
        if try next.goesNowhere(reader) {
            findings.append(
                .warning(
                    "the photos of '\(next.name)' go nowhere: it has no destination.",
                    cure:
                        "'tetherline setup destination' asks where they go; 'tetherline destination add URL' names a place."
                ))
        }
        guard let reader, let event = next.known else {
            return findings.isEmpty
                ? [.ok("'\(next.name)', which the settings name, begins with the first run.")] : findings
        }
        let counts = try reader.counts(of: event.id)
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
