package import Basics
import Digest
import Posix

/// Takes a gallery of one machine over to a server of PostgreSQL and a bucket. It may be killed at any moment: the next run
/// finds what was done, and goes on.
package struct GalleryMover: Sendable {
    private let rows: MovingRows
    private let objects: ObjectMover
    private let secret: ServerSecret
    private let place: String
    private let targetName: String
    private let wall: any WallTime
    private let time: any TimeSource
    private let say: @Sendable (String) -> Void

    /// `place` is where the gallery lies and `targetName` where it goes, for messages; the secret is what the
    /// gallery signs with.
    package init(
        _ rows: MovingRows, from source: any ObjectSource, to target: BucketObjects, secret: ServerSecret,
        place: String, targetName: String, time: any TimeSource, wall: any WallTime,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.rows = rows
        objects = ObjectMover(from: source, to: target, rows, time: time, say: say)
        self.secret = secret
        self.place = place
        self.targetName = targetName
        self.wall = wall
        self.time = time
        self.say = say
    }

    package enum End: Equatable, Sendable {
        case moved
        /// A run before has done it.
        case wasMoved
        /// A program still writes to the gallery. Once that has ended, the rest takes about so long.
        case isServed(rest: Duration)
    }

    /// Rounds while the gallery is in use, until one finds little; what comes faster than that is left to the last.
    private static let mostRounds = 5
    private static let little = 1000

    /// `isLocked` says that nothing writes to the gallery for as long as this runs.
    package func run(isLocked: Bool, random: any RandomSource) async throws -> End {
        let source = name(of: secret)
        if let reason = try await rows.closure() {
            return try await goOn(withClosed: source, because: reason)
        }
        if isLocked { try await rows.bringUpToDate(random) }
        switch try await rows.begin(source: source, place: place, keys: secret.keys) {
        case .new: say("\(place) is moved to \(targetName)")
        case .resumed:
            say("going on with the move of \(place) to \(targetName)")
            try await forgetLost()
        case .finished:
            throw MoveProblem(
                "\(place) was moved to this database before, and was reopened since: both may have changed. "
                    + "Name another database, which is empty")
        }
        var problems: [String] = []
        for round in 1...Self.mostRounds {
            let start = time.now
            let changed = try await copyRows()
            let tally = try await takeObjects()
            problems = tally.problems
            if isLocked { break }
            for problem in tally.problems { say(problem) }
            // The tables are looked through once to copy and once to compare.
            if changed + tally.objects < Self.little || round == Self.mostRounds {
                return .isServed(rest: (time.now - start) * 2 + .seconds(1))
            }
        }
        try await verify(bringLost() ?? problems)
        try await finish()
        return .moved
    }

    /// A run before has ended between its last two steps, or after them.
    private func goOn(withClosed source: String, because reason: String) async throws -> End {
        let standing = try await rows.standing(of: source)
        if standing == .finished { return .wasMoved }
        guard standing == .resumed, try await rows.closing() == reason else {
            throw MoveProblem("\(place) is closed: \(reason)")
        }
        let lost = try await objects.countLost()
        guard lost == 0 else {
            throw MoveProblem(
                "\(lost) objects that were taken over are not in this bucket, and \(place) is closed already. Say the "
                    + "--storage that the run before had; or open the folder again with --reopen, and run the same command"
            )
        }
        try await rows.finishClosed()
        return .moved
    }

    /// So that they are taken over again. Says how many there were.
    @discardableResult
    private func forgetLost() async throws -> Int {
        let lost = try await objects.forgetLost()
        if lost > 0 {
            say(
                "objects: \(lost) that were taken over before are not in this bucket, and are taken over again"
            )
        }
        return lost
    }

    /// Before the source is closed, what is at the target is listed, and what is missing there is brought. What is wrong then,
    /// a sentence each; nothing where nothing was missing.
    private func bringLost() async throws -> [String]? {
        guard try await forgetLost() > 0 else { return nil }
        let problems = try await takeObjects().problems
        let lost = try await objects.countLost()
        guard lost > 0 else { return problems }
        return problems + [
            "\(lost) objects were put into the bucket, and it does not list them; look at the store"
        ]
    }

    private func takeObjects() async throws -> ObjectMover.Tally {
        let tally = try await objects.run()
        say("objects: \(tally.objects) taken over (\(ObjectMover.megabytes(tally.bytes))) and read back")
        return tally
    }

    private func copyRows() async throws -> Int {
        let start = time.now
        let changed = try await rows.copyRows()
        for row in await rows.replaced {
            say("\(row): PostgreSQL holds no U+0000 in a text; U+FFFD stands for it")
        }
        say("rows: \(changed) taken over in \(Self.seconds(time.now - start))")
        return changed
    }

    private func verify(_ problems: [String]) async throws {
        var problems = problems
        for table in try await rows.compare() {
            say("\(table.name): \(table.rows) rows on both sides, SHA-256 \(table.digest.prefix(16))…")
            if let problem = table.problem { problems.append(problem) }
        }
        if problems.isEmpty { problems = try await rows.missingObjects() }
        guard problems.isEmpty else {
            for problem in problems { say(problem) }
            throw MoveProblem(
                "\(problems.count) things are not as they should be; \(place) is as it was, and may be served. "
                    + "See to them, and run the same command again")
        }
    }

    private func finish() async throws {
        let now = CivilTime.rfc3339(milliseconds: wall.wallNow.milliseconds)
        try await rows.finish(
            because:
                "its gallery was moved to \(targetName) at \(now); serve that one. To go back to what was here then: "
                + "gallery move --from FOLDER --reopen")
    }

    /// Says which gallery it is, and nothing about its keys: by the first of them, which another one that is made does not change.
    private func name(of secret: ServerSecret) -> String {
        let first = secret.keys.last?.bytes ?? []
        return Hexadecimal.text(HMACSHA256.code(of: Array("tetherline gallery moves".utf8), key: first))
    }

    static func seconds(_ span: Duration) -> String {
        let tenths = Int((span / Duration.milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Opens a gallery again that was moved. Says whether it was closed.
    package static func reopen(_ path: String) throws -> Bool { try SQLiteGallery.reopen(path) }
}
