import Arguments
import Basics
import Gallery
import Posix

/// Everything that a gallery keeps: its database, its objects and its keys, in one folder.
struct DataFolder: Sendable {
    let path: String

    static let option = OptionSpec(
        "data", "DIR", "Where everything is kept. [$STATE_DIRECTORY, or ~/.local/state/tetherline-gallery]")

    /// Another program works on it.
    struct Busy: Error, CustomStringConvertible {
        let description: String
    }

    init(_ given: String?) throws(UsageError) {
        if let path = given ?? Program.environment("STATE_DIRECTORY") {
            guard let path = Directory.absolute(path) else {
                throw UsageError("--data needs a folder's path.")
            }
            self.path = path
        } else if let state = Program.environment("XDG_STATE_HOME"), state.hasPrefix("/") {
            path = "\(state)/tetherline-gallery"
        } else if let home = Program.environment("HOME"), home.hasPrefix("/") {
            path = "\(home)/.local/state/tetherline-gallery"
        } else {
            throw UsageError("Say --data DIR, because this user has no home.")
        }
    }

    var database: String { "\(path)/\(GalleryStore.fileName)" }
    var objects: String { "\(path)/objects" }
    var socket: String { "\(path)/control.sock" }

    func make() throws -> Directory { try Directory.make(path: path, mode: 0o700) }

    /// The one process that holds it may write.
    func lock() throws -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(path: "\(path)/lock")
        } catch {
            switch error {
            case .held(let holder, _):
                let who = holder.map { " (process \($0))" } ?? ""
                throw Busy(
                    description:
                        "a gallery is already running on \(path)\(who); end it, or name another --data")
            case .system(let error): throw error
            }
        }
    }

    /// For commands that change something while no server runs, and for the server itself.
    func open(_ time: any TimeSource) throws -> GalleryDatabase {
        try GalleryDatabase(
            .file(path: database), time: time, wall: SystemWallTime(), random: SystemRandomSource())
    }

    /// Only this gallery knows them; the first is made when it starts for the first time.
    func keys() throws -> KeyFiles {
        KeyFiles(try make(), random: SystemRandomSource(), wall: SystemWallTime())
    }
}
