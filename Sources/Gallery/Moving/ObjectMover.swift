import Basics
import Digest
import Posix

/// Takes a gallery's objects over to a bucket, and reads each back.
struct ObjectMover: Sendable {
    let source: any ObjectSource
    let target: BucketObjects
    let rows: MovingRows
    let time: any TimeSource
    let say: @Sendable (String) -> Void
    private let threads = DiskThreads()

    /// So many are listed at a time, and so many of these are written down at a time.
    static let page = 1000
    private static let noted = 100
    private static let atOnce = 8
    /// A store that is away for a moment is asked again.
    private static let tries = 5
    private static let mostProblems = 100
    private static let told = Duration.seconds(5)

    struct Tally: Equatable, Sendable {
        var objects = 0
        var bytes: UInt64 = 0
        var problems: [String] = []
    }

    init(
        from source: any ObjectSource, to target: BucketObjects, _ rows: MovingRows, time: any TimeSource,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.source = source
        self.target = target
        self.rows = rows
        self.time = time
        self.say = say
    }

    /// Everything that lies at the source, that a row refers to, and that was not taken over before.
    func run() async throws -> Tally {
        var tally = Tally()
        let total = try await rows.countOfObjects()
        var last: String?
        var told = time.now
        while let page = Optional(try await source.list(after: last, limit: Self.page)), let end = page.last {
            try Task.checkCancellation()
            let wanted = try await rows.toMove(of: page.map(\.key))
            for start in stride(from: 0, to: wanted.count, by: Self.noted) {
                let moved = try await move(wanted[start..<min(start + Self.noted, wanted.count)])
                try await rows.note(moved.objects)
                tally.objects += moved.objects.count
                tally.bytes += moved.objects.reduce(0) { $0 + $1.size }
                tally.problems += moved.problems
                if time.now - told >= Self.told {
                    told = time.now
                    say(
                        "objects: \(tally.objects) of about \(total) taken over (\(Self.megabytes(tally.bytes))) and read back"
                    )
                }
            }
            last = end.key
            guard tally.problems.count < Self.mostProblems else { break }
        }
        return tally
    }

    static func megabytes(_ bytes: UInt64) -> String { "\((bytes + 500_000) / 1_000_000) MB" }

    // MARK: One after the other, several at a time

    private enum Outcome: Sendable {
        case moved(MoveLog.MovedObject)
        /// It went while it was looked at, as objects do where a gallery is in use.
        case gone
        case problem(String)
    }

    private func move(
        _ wanted: ArraySlice<WantedObject>
    ) async throws -> (objects: [MoveLog.MovedObject], problems: [String]) {
        var objects: [MoveLog.MovedObject] = []
        var problems: [String] = []
        func take(_ outcome: Outcome?) {
            switch outcome {
            case .moved(let object): objects.append(object)
            case .problem(let sentence): problems.append(sentence)
            case .gone, nil: break
            }
        }
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for (index, object) in wanted.enumerated() {
                if index >= Self.atOnce { take(try await group.next()) }
                group.addTask { try await patiently(object) }
            }
            while let outcome = try await group.next() { take(outcome) }
        }
        return (objects, problems)
    }

    private func patiently(_ object: WantedObject) async throws -> Outcome {
        var tries = 0
        while true {
            do {
                return try await move(object)
            } catch let problem as StorageProblem where problem.meaning == .missing {
                return .gone
            } catch let error as SystemError where error.kind == .missing {
                return .gone
            } catch let problem as StorageProblem
                where problem.meaning == .unavailable && tries < Self.tries
            {
                tries += 1
                try await time.sleep(until: time.now + .seconds(1 << tries))
            }
        }
    }

    private func move(_ object: WantedObject) async throws -> Outcome {
        try await source.withFile(object.key) { path in
            let (size, hash) = try await threads.perform { () throws(SystemError) in
                let file = try ReadableFile(path: path)
                return (file.size, try file.sha256())
            }
            if let problem = object.problem(size, hash) { return .problem(problem) }
            var there = try await target.readBack(object.key)
            if there?.size != size || there?.sha256 != hash {
                try await target.put(
                    path, size: size, sha256: hash, type: object.contentType, as: object.key)
                there = try await target.readBack(object.key)
            }
            guard let there, there.size == size, there.sha256 == hash else {
                throw StorageProblem(
                    .unavailable, "the object \(object.key) was put into the bucket and reads differently")
            }
            return .moved(MoveLog.MovedObject(key: object.key, size: size, sha256: "\(hash)"))
        }
    }
}

extension WantedObject {
    /// What is wrong with an object as it lies at the source, by what its row says of it.
    fileprivate func problem(_ found: UInt64, _ hash: SHA256Digest) -> String? {
        let advice = "put it back from a backup, or delete the photo"
        if let size, size != found {
            return "\(owner): its object \(key) has \(found) bytes instead of \(size); \(advice)"
        }
        if let sha256, sha256 != "\(hash)" {
            return "\(owner): its object \(key) has the SHA-256 \(hash) instead of \(sha256); \(advice)"
        }
        return nil
    }
}
