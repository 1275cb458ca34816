import Glibc
import TestSupport
import Testing

/// How an operator takes photos off a camera, each time with a process of its own.
enum Way: String, CaseIterable, Sendable {
    /// `run --once`
    case once
    /// `run`, until the test ends it
    case leftOn
    /// `camera get`
    case get
}

/// What a camera does wrong, and what is to come of it, whichever way its photos are taken.
struct Trouble: Sendable, CustomTestStringConvertible {
    let name: String
    var photos: [HostileObject]
    /// What the operator is told by name, and why. Everything else on the card arrives.
    var named: (what: String, why: String)?
    /// Arrives not at all: by name.
    var missing: Set<String> = []
    /// What is marked of those that arrive.
    var doubts: [String: String] = [:]
    /// As many connections as it may cost in all.
    var mostConnections: Int?
    /// A camera of this kind. Its state is its own: it is made anew each time.
    let camera: @Sendable (HostileCard) throws -> HostileCamera

    var testDescription: String { name }

    init(
        _ name: String, _ photos: [HostileObject] = HostileObject.jpegs(4),
        camera: @escaping @Sendable (HostileCard) throws -> HostileCamera
    ) {
        self.name = name
        self.photos = photos
        self.camera = camera
    }

    /// What is wrong is the same in every connection, and with one kind of question.
    init(
        _ name: String, _ photos: [HostileObject] = HostileObject.jpegs(4),
        answering special: @escaping @Sendable (HostilePeer, HostilePeer.Request) throws -> Bool
    ) {
        self.init(name, photos) { card in
            try HostileCamera(always: { peer in try peer.serve(card, { try special(peer, $0) }) })
        }
    }

    func naming(_ what: String, _ why: String, missing: String...) -> Trouble {
        var trouble = self
        trouble.named = (what, why)
        trouble.missing = Set(missing)
        return trouble
    }

    func marking(_ doubts: [String: String]) -> Trouble {
        var trouble = self
        trouble.doubts = doubts
        return trouble
    }

    private func arriving(_ photos: [HostileObject]) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for photo in photos {
            let name = String(decoding: photo.name, as: UTF16.self)
            if !missing.contains(name) { files[name] = photo.content }
        }
        return files
    }

    // MARK: The three ways

    func see(_ way: Way) throws {
        let person = try Operator()
        // Stalls are the camera's doing and take long in the field.
        try person.settings("{camera: {patience: '1s'}, transfer: {listAgain: '1s'}}")
        switch way {
        case .once: try seeOnce(person)
        case .leftOn: try seeLeftOn(person)
        case .get: try seeGet(person)
        }
    }

    private func seeOnce(_ person: Operator) throws {
        let camera = try camera(HostileCard(photos))
        let outcome = try person.run(
            Self.run(camera, person) + ["--once", "--idle", "300ms", "--retry", "20s"])
        try judge(outcome, person, camera)
        let wanted = arriving(photos)
        #expect(
            outcome.lines.last?.contains("deliveries: \(wanted.count) completed") ?? false || wanted.isEmpty,
            "\(outcome.lines)")
        // What has no name of its own is in the last line by the camera's.
        if let named, named.what.hasPrefix("object") {
            #expect(outcome.lines.last?.contains(named.what) == true, "\(outcome.lines)")
        }
        try seeDoubts(person)
    }

    private func seeGet(_ person: Operator) throws {
        let camera = try camera(HostileCard(photos))
        let outcome = try person.endure([
            "camera", "get", camera.address, "--all", "--to", person.out, "--retry", "20s",
        ])
        try judge(outcome, person, camera)
        for (name, doubt) in doubts {
            #expect(outcome.errors.contains("/\(name): \(doubt)"), "\(outcome.errors)")
        }
    }

    private func judge(_ outcome: Tool.Output, _ person: Operator, _ camera: HostileCamera) throws {
        judgeConnections(camera)
        #expect(outcome.code == (named == nil ? 0 : 1), "\(outcome.text)\(outcome.errors)")
        if let named {
            let line = outcome.errors.split(separator: "\n").first {
                $0.contains(named.what) && $0.contains(named.why)
            }
            #expect(line != nil, "\(outcome.errors)")
        }
        #expect(try person.arrived() == arriving(photos), "\(outcome.errors)")
    }

    private func judgeConnections(_ camera: HostileCamera) {
        guard let mostConnections else { return }
        #expect(
            (1...mostConnections).contains(camera.accepted.handles.count), "\(camera.accepted.handles.count)")
    }

    /// More is shot while the bad one is at its worst, and after it has been given up.
    private func seeLeftOn(_ person: Operator) throws {
        let card = HostileCard(photos, mayGrow: true)
        let camera = try camera(card)
        let running = try Daemon(
            Built.tetherline, Self.run(camera, person) + ["--json"],
            environment: EndingTests.environment(person))
        let count = arriving(photos).count
        try running.waitForDelivered(count)
        card.shoot(HostileObject.jpeg(101, "LATER.JPG"))
        try running.waitForDelivered(count + 1)
        if let named {
            let line = try running.wait(for: #""path":"\#(named.what)""#, and: named.why)
            #expect(line.contains(#""event":""#), "\(line)")
            try running.wait(for: #""event":"givenUp""#, and: named.what)
        }
        card.shoot(HostileObject.jpeg(102, "LAST.JPG"))
        try running.waitForDelivered(count + 2)
        let status = try person.run("status")
        #expect(status.code == 0 && status.text.contains("\(count + 2) completed"), "\(status.text)")
        let began = ContinuousClock.now
        #expect(running.stop(SIGTERM) == 0, "\(running.output)")
        #expect(ContinuousClock.now - began < .seconds(2))
        #expect(try person.arrived() == arriving(card.objects))
        judgeConnections(camera)
        try seeDoubts(person)
    }

    private func seeDoubts(_ person: Operator) throws {
        let rows = try person.run("captures").lines
        for (name, doubt) in doubts {
            #expect(rows.contains { $0.contains(name) && $0.contains(doubt) }, "\(rows)")
        }
        let words = ["foreign beginning", "size disputed", "perhaps cut short"]
        #expect(rows.count { row in words.contains { row.contains($0) } } == doubts.count, "\(rows)")
    }

    static func run(_ camera: HostileCamera, _ person: Operator) -> [String] {
        [
            "run", "--camera", camera.address, "--event", "Wedding", "--destination", "file://\(person.out)",
            "--since", "all",
        ]
    }
}

extension HostileObject {
    /// The least that is a whole JPEG, each with bytes of its own: SOI, JFIF, one scan, EOI (ITU-T T.81, annex B).
    static func jpeg(_ handle: UInt32, _ name: String, size: Int = 5000) -> HostileObject {
        let head: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, 0, 0, 72, 0, 72, 0, 0]
            + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let scan = (0..<max(0, size - head.count - 2)).map { UInt8(($0 + Int(handle) * 31) % 251) }
        return HostileObject(handle, name, head + scan + [0xFF, 0xD9])
    }

    /// A.JPG, B.JPG, … with the handles 1, 2, …
    static func jpegs(_ count: Int, size: Int = 5000) -> [HostileObject] {
        (0..<count).map { .jpeg(UInt32($0 + 1), "\(UnicodeScalar(UInt8(65 + $0))).JPG", size: size) }
    }
}
