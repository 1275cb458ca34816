import Arguments
import Basics
import Gallery
import Posix

/// What an operator says about videos.
struct VideoChoice {
    static let options = [
        OptionSpec("max-video-size", "BYTES", "The largest video (MP4 or MOV). [2GiB]"),
        OptionSpec(
            "guest-video-size", "BYTES",
            "The largest video that a guest adds, within --max-video-size; 'none' where guests add photos only. [512MiB]"
        ),
        OptionSpec(
            "ffmpeg", "PROGRAM",
            "The program that takes the picture out of a video by which it is shown in lists; 'none' for a plain sign "
                + "instead. [ffmpeg, where it is in PATH]"),
    ]

    private static let none = "none"
    private static let usualLimit: UInt64 = 2 << 30
    /// A minute of a phone's largest pictures, or four of its usual ones.
    private static let usualGuestLimit: UInt64 = 512 << 20
    /// What a bucket takes in one piece.
    private static let mostLimit: UInt64 = 5 << 30

    let limit: UInt64
    /// Nothing where guests add none.
    let guestLimit: UInt64?
    /// Nothing where there is none.
    private let program: String?

    init(_ invocation: Invocation) throws {
        limit = try invocation.size("max-video-size", in: 1...Self.mostLimit) ?? Self.usualLimit
        guestLimit =
            invocation.value("guest-video-size") == Self.none
            ? nil
            : try invocation.size("guest-video-size", in: 1...Self.mostLimit) ?? Self.usualGuestLimit
        switch invocation.value("ffmpeg") {
        case Self.none: program = nil
        case let name?:
            guard let found = Self.find(name) else {
                throw UsageError("--ffmpeg names no program that can be run here: '\(name)'.")
            }
            program = found
        case nil: program = Self.find(FFmpegPosters.name)
        }
    }

    /// By its path, or in the folders of PATH.
    private static func find(_ name: String) -> String? {
        let paths =
            name.contains("/")
            ? [Directory.absolute(name)].compactMap(\.self)
            : (Program.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
                .filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        return paths.first { path in
            do throws(SystemError) {
                try ChildProcess.check(path)
                return true
            } catch {
                return false
            }
        }
    }

    func pool(on reactor: Reactor) -> VideoPool { VideoPool(largest: limit, on: reactor) }

    func studio(_ pool: VideoPool, on reactor: Reactor) -> VideoStudio {
        VideoStudio(pool, posters: program.map { FFmpegPosters($0, on: reactor) })
    }

    /// What a program of ours becomes that was started for videos; nothing for any other.
    static func child(_ arguments: [String]) -> Int32? {
        switch arguments.first {
        case VideoPool.argument: UInt64(arguments.dropFirst().first ?? "").map(videoMain)
        case FFmpegPosters.argument: posterMain(Array(arguments.dropFirst()))
        default: nil
        }
    }
}
