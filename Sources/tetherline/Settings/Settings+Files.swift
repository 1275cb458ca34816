import Bridge
import Camera
import HTTPClient
import Posix
import Upload

/// What the settings name outside of their file, and what is wrong with it: one rule for 'run', 'config check' and the
/// doctor.
extension Settings {
    struct FileProblem: Equatable {
        /// As `config set` takes it.
        let key: String
        let sentence: String
    }

    /// What a run cannot do without, as it is known before anything begins: a hook that never runs and an authority that is
    /// not there are noticed too late.
    func problemsOfRun(besides given: Set<PhotoEvent> = []) -> [FileProblem] {
        var problems: [FileProblem] = []
        let programs = notifications.hooks.programs.sorted { $0.key.rawValue < $1.key.rawValue }
        for (happening, program) in programs where !given.contains(happening) {
            if let problem = NotificationSettings.problem(withHook: program) {
                problems.append(FileProblem(key: happening.hookSetting, sentence: problem.description))
            }
        }
        if let authority = http.privateCA, let sentence = Self.unreadable(authority) {
            problems.append(FileProblem(key: "deliver.privateCA", sentence: sentence))
        }
        return problems
    }

    private func hudProblems() -> [FileProblem] {
        var problems: [FileProblem] = []
        for (key, file) in [("hud.certificate", hud.certificate), ("hud.key", hud.key)] {
            if let file, let sentence = Self.unreadable(file) {
                problems.append(FileProblem(key: key, sentence: sentence))
            }
        }
        if (hud.certificate == nil) != (hud.key == nil) {
            let key = hud.key == nil ? "hud.certificate" : "hud.key"
            problems.append(FileProblem(key: key, sentence: HudWishes.pair))
        }
        return problems
    }

    /// All of it: also what one camera or one destination needs.
    func fileProblems() -> [FileProblem] {
        var problems = problemsOfRun() + hudProblems()
        for (index, body) in camera.bodies.enumerated() {
            if let file = body.ssh?.passwordFile, let sentence = Self.unreadable(file) {
                problems.append(FileProblem(key: "cameras[\(index)].ssh-password-file", sentence: sentence))
            }
        }
        for (index, destination) in run.destinations.enumerated() {
            if let sentence = destination.credentialsProblem {
                problems.append(FileProblem(key: "run.destinations[\(index)]", sentence: sentence))
            }
        }
        if let sentence = captions.rosterProblem {
            problems.append(FileProblem(key: "captions.roster", sentence: sentence))
        }
        if let folder = copy.folder, let sentence = Self.unwritable(folder) {
            problems.append(FileProblem(key: "keep.folder", sentence: sentence))
        }
        return problems
    }

    private static func unreadable(_ path: String) -> String? {
        do throws(SystemError) {
            _ = try ReadableFile.contents(of: path, limit: limit)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The folder is made when a run begins; what it is made in has to be there and to be ours.
    private static func unwritable(_ path: String) -> String? {
        guard let absolute = Directory.absolute(path) else { return "'\(path)' names no folder." }
        do throws(SystemError) {
            try Directory.checkWritable(absolute)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension PhotoEvent {
    /// The setting that names the program.
    var hookSetting: String {
        switch self {
        case .staged: "hooks.onStaged"
        case .completed: "hooks.onCompleted"
        }
    }

    /// The option of 'run' that says the same.
    var hookOption: String { "on-\(rawValue)" }
}
