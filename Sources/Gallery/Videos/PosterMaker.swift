import Glibc
package import Posix

/// Takes a picture out of a video.
package protocol PosterMaker: Sendable {
    /// A frame of the video as a JPEG of at most ``edge`` on a side; says why there is none.
    func poster(of file: String, at moment: Duration, to path: String) async -> PosterOutcome
}

package enum PosterOutcome: Equatable, Sendable {
    case made
    case none(String)
}

/// The program ffmpeg, as a child that may take so much time, memory and room, and no more.
///
/// It reads one file and no other, as what its bytes have been held against: no playlist, no address, no other file that it
/// may be led to.
package struct FFmpegPosters: PosterMaker {
    private let program: String
    private let launcher: String
    private let reactor: Reactor

    package static let name = "ffmpeg"
    /// With this, and a program with its arguments, our own program calls ``posterMain(_:)``.
    package static let argument = "poster"
    package static let edge = 2048
    static let within = Duration.seconds(60)
    /// What is kept of its complaints, for their last line.
    private static let complaints = 4096
    fileprivate static let limits: [(resource: Int, most: UInt64)] = [
        (Int(RLIMIT_AS.rawValue), 4 << 30), (Int(RLIMIT_CPU.rawValue), 45),
        (Int(RLIMIT_FSIZE.rawValue), 32 << 20), (Int(RLIMIT_CORE.rawValue), 0),
        (Int(RLIMIT_NOFILE.rawValue), 64),
    ]

    package init(_ program: String, launcher: String = VideoPool.ownProgram, on reactor: Reactor) {
        self.program = program
        self.launcher = launcher
        self.reactor = reactor
    }

    package func poster(of file: String, at moment: Duration, to path: String) async -> PosterOutcome {
        var child = ChildProcess(
            launcher, [Self.argument, program] + Self.arguments(file, moment, path),
            environment: ["LC_ALL": "C.UTF-8"])
        child.within = Self.within
        child.errors = .last(Self.complaints)
        do throws(SystemError) {
            let ending = try await child.run(on: reactor)
            if let problem = ending.problem(within: Self.within, owner: "the gallery") {
                return .none("\(program) \(problem)")
            }
            guard try ReadableFile.size(of: path) > 0 else {
                return .none("\(program) made no picture of it")
            }
            return .made
        } catch {
            return .none("\(error)")
        }
    }

    static func arguments(_ file: String, _ moment: Duration, _ path: String) -> [String] {
        let milliseconds = moment / .milliseconds(1)
        let edge = "min(\(edge)\\,"
        let filter =
            "scale=w=trunc(iw*sar):h=ih,setsar=1,"
            + "scale=w=\(edge)iw):h=\(edge)ih):force_original_aspect_ratio=decrease"
        return [
            "-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1", "-protocol_whitelist", "file",
            "-f", "mov", "-ss", "\(Int(milliseconds))ms", "-i", "file:\(file)", "-map", "0:v:0", "-an", "-sn",
            "-dn", "-frames:v", "1", "-vf", filter, "-map_metadata", "-1", "-c:v", "mjpeg", "-pix_fmt",
            "yuvj420p", "-q:v", "2", "-f", "mjpeg", "-y", "file:\(path)",
        ]
    }
}

/// Becomes that program, with limits that it cannot lift.
package func posterMain(_ arguments: [String]) -> Int32 {
    guard let program = arguments.first else { return EX_USAGE }
    for (resource, most) in FFmpegPosters.limits {
        var limit = rlimit()
        let number = __rlimit_resource_t(UInt32(resource))
        guard getrlimit(number, &limit) == 0 else { return EX_OSERR }
        let most = min(rlim_t(most), limit.rlim_max)
        limit = rlimit(rlim_cur: most, rlim_max: most)
        guard setrlimit(number, &limit) == 0 else { return EX_OSERR }
    }
    let words = arguments.map { strdup($0) } + [nil]
    execv(program, words)
    return EX_UNAVAILABLE
}
