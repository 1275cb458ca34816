import Synchronization
import TestSupport
import Testing

/// What comes of odd photos in the end: in the last line, in what is looked up later, on the card, and in the next run.
@Suite struct TroubledEndTests {
    @Test("a photo that cannot be described is named in the last line, and the others are there")
    func undescribable() throws {
        for answer in [UInt16?.none, 0x2002] {
            let camera = try HostileCamera(always: { peer in
                try peer.serve(HostileObject.jpegs(3)) { request in
                    guard request.code == 0x1008, request.parameters == [2] else { return false }
                    try answer.map { try peer.answer($0, request) } ?? peer.give([1, 2, 3], to: request)
                    return true
                }
            })
            let person = try Operator()
            let outcome = try person.run(Trouble.run(camera, person) + ["--once", "--retry", "2s"])
            #expect(outcome.code == 75, "\(outcome.errors)")
            #expect(outcome.lines.last?.hasSuffix("object 0x00000002") == true, "\(outcome.lines)")
            #expect(
                outcome.errors.contains("object 0x00000002: the camera did not describe it"),
                "\(outcome.errors)")
            #expect(try person.arrived().keys.sorted() == ["A.JPG", "C.JPG"])
            let other = try Operator()
            let got = try other.run("camera", "get", camera.address, "--all", "--to", other.out)
            #expect(got.code == 1 && got.errors.contains("object 0x00000002:"), "\(got.errors)")
            #expect(try other.arrived().keys.sorted() == ["A.JPG", "C.JPG"])
        }
    }

    @Test("a truly empty file is told once, and does not hold the end open", arguments: Way.allCases)
    func empty(way: Way) throws {
        var photos = HostileObject.jpegs(3)
        photos[1].content = []
        let camera = try HostileCamera(always: { [photos] peer in try peer.serve(photos) })
        let person = try Operator()
        let words =
            way == .get
            ? ["camera", "get", camera.address, "--all", "--to", person.out]
            : Trouble.run(camera, person) + ["--once", "--idle", "300ms"]
        for round in 0..<(way == .leftOn ? 2 : 1) {
            let outcome = try person.run(words)
            #expect(outcome.code == 0, "\(outcome.errors)")
            let told = outcome.errors.split(separator: "\n").count {
                $0.contains("B.JPG: it is empty on the card")
            }
            #expect(told == (round == 0 ? 1 : 0), "\(outcome.errors)")
            #expect(try person.arrived().keys.sorted() == ["A.JPG", "C.JPG"])
        }
    }

    @Test("what is disputed or foreign is said by verify, and stays on the card")
    func doubtful() throws {
        var photos = HostileObject.jpegs(3)
        photos[0].claimedSize = 700
        photos[1].content = [UInt8](repeating: 3, count: 900)
        let deleted = Notes()
        let camera = try HostileCamera(always: { [photos] peer in
            try peer.serve(photos) { request in
                switch request.code {
                case 0x1001: try peer.give(Wire.deviceInfo(with: [0x100B]), to: request)
                case 0x100B:
                    deleted.note(request.parameters[0])
                    try peer.answer(0x2001, request)
                default: return false
                }
                return true
            }
        })
        let person = try Operator()
        let outcome = try person.run(
            Trouble.run(camera, person) + ["--once", "--idle", "300ms", "--delete-from-card"])
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("look at it: foreign beginning"), "\(outcome.text)")
        #expect(deleted.handles == [3])
        let manifest = person.folder.file("manifest")
        let verified = try person.run("verify", "--manifest", manifest)
        let lines = verified.lines.filter { $0.hasPrefix("doubtful") }
        #expect(lines.count == 2, "\(verified.text)")
        #expect(lines.contains { $0.contains("A.JPG") && $0.contains("size disputed") }, "\(lines)")
        #expect(lines.contains { $0.contains("B.JPG") && $0.contains("foreign beginning") }, "\(lines)")
        let signed = String(decoding: try readFile(manifest), as: UTF8.self)
        for doubts in [#"["size"]"#, #"["beginning"]"#, "[]"] {
            #expect(signed.ranges(of: "\"doubts\":\(doubts)").count == 1, "\(signed)")
        }
        #expect(
            verified.code == 0 && verified.lines.last?.contains("3 delivered") == true, "\(verified.text)")
        #expect(try person.run("captures").lines.count { $0.contains("foreign beginning") } == 1)
        #expect(try person.run("captures", "--json").text.contains(#""doubts":["beginning"]"#))
    }

    @Test("who wants to look first holds back what is doubtful, and everything else is delivered")
    func heldBack() throws {
        var photos = HostileObject.jpegs(3)
        photos[1].content = [UInt8](repeating: 3, count: 900)
        let camera = try HostileCamera(always: { [photos] peer in try peer.serve(photos) })
        let person = try Operator()
        try person.settings("{transfer: {doubtful: 'hold'}}")
        let outcome = try person.run(Trouble.run(camera, person) + ["--once", "--idle", "300ms"])
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(try person.arrived().keys.sorted() == ["A.JPG", "C.JPG"])
        let jobs = try person.run("jobs", "--state", "failed").text
        #expect(jobs.contains("B.JPG") && jobs.contains("held back: foreign beginning"), "\(jobs)")
        // The operator has looked at it.
        let again = try person.run("retry", "--failed")
        #expect(again.code == 0, "\(again.errors)")
        #expect(try person.run(Trouble.run(camera, person) + ["--once", "--idle", "300ms"]).code == 0)
        #expect(try person.arrived().keys.sorted() == ["A.JPG", "B.JPG", "C.JPG"])
    }

    @Test("parts that are refused are not asked for again, in this run, the next, or another command")
    func remembered() throws {
        let (asked, cut) = (Notes(), Notes())
        let card = HostileCard(TroubleTests.large)
        let camera = try HostileCamera(always: { peer in
            try peer.serve(card) { request in
                let photo = card.objects.first { $0.handle == request.parameters.first }
                switch request.code {
                case 0x1009 where !cut.handles.contains(request.parameters[0]):
                    cut.note(request.parameters[0])
                    try peer.say(Wire.startData(request.transaction, UInt64(photo?.content.count ?? 0)))
                    try peer.say(Wire.data(request.transaction, Array((photo?.content ?? []).prefix(40_000))))
                    try peer.hangUp()
                case 0x101B:
                    asked.note(request.parameters[0])
                    try peer.answer(0x2005, request)
                default: return false
                }
                return true
            }
        })
        let person = try Operator()
        let once = Trouble.run(camera, person) + ["--once", "--idle", "300ms"]
        #expect(try person.run(once).code == 0)
        card.shoot(.jpeg(3, "C.JPG", size: 80_000))
        #expect(try person.run(once).code == 0)
        #expect(cut.handles == [1, 2, 3])
        #expect(asked.handles == [1])
        let arrived = try person.arrived()
        #expect(arrived.count == 3 && Set(arrived.values) == Set(card.objects.map(\.content)))
        card.shoot(.jpeg(4, "D.JPG", size: 70_000))
        let got = try person.run(
            "camera", "get", camera.address, "0x00000004", "--to", person.folder.file("got"))
        #expect(got.code == 0, "\(got.errors)")
        #expect(cut.handles == [1, 2, 3, 4] && asked.handles == [1])
    }

    @Test(
        "whatever parts are refused with, they are not asked for photo by photo",
        arguments: [0x2005, 0x2002, 0x201D, 0xA001] as [UInt16])
    func refused(code: UInt16) throws {
        let asked = Notes()
        let photos = HostileObject.jpegs(4, size: 100_000)
        let camera = try HostileCamera(always: { peer in
            try peer.serve(photos) { request in
                guard request.code == 0x101B else { return false }
                asked.note(request.parameters[0])
                try peer.answer(code, request)
                return true
            }
        })
        let person = try Operator()
        let outcome = try person.run(
            "camera", "get", camera.address, "--all", "--to", person.out, "--part", "50000")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(Set(try person.arrived().values) == Set(photos.map(\.content)))
        // "Not supported" says it for good; what may be about one photo has to come twice.
        #expect(asked.handles == (code == 0x2005 ? [1] : [1, 2]))
    }

    @Test("a card that is gone when all its photos are delivered is no failure")
    func vanished() throws {
        let card = HostileCard(HostileObject.jpegs(3), mayGrow: true)
        let isGone = Once()
        let camera = try HostileCamera(always: { peer in
            var fetched: Set<UInt32> = []
            var isOut = false
            try peer.serve(card) { request in
                if request.code == 0x1009 { fetched.insert(request.parameters[0]) }
                if fetched.count == 3, request.code != 0x1009, isGone.isFirst() {
                    isOut = true
                    // StoreRemoved, and no store from then on.
                    try peer.notice(Wire.event(0x4005, [0x0001_0001]))
                }
                guard isOut, [0x1004, 0x1007].contains(request.code) else { return false }
                if request.code == 0x1004 {
                    try peer.give(Wire.u32(0), to: request)
                } else {
                    try peer.answer(0x2013, request)
                }
                return true
            }
        })
        let person = try Operator()
        let outcome = try person.run(
            Trouble.run(camera, person) + ["--once", "--idle", "500ms", "--retry", "5s"])
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
        #expect(try person.arrived().count == 3)
        #expect(!isGone.isFirst(), "it was there to the end")
    }

    @Test("a camera that is switched off when all its photos are delivered is no failure")
    func switchedOff() throws {
        let isOff = Once()
        let camera = try HostileCamera(
            { peer in
                var fetched: Set<UInt32> = []
                try peer.serve(HostileObject.jpegs(3)) { request in
                    if request.code == 0x1009 { fetched.insert(request.parameters[0]) }
                    // The list that follows the last photo still says the same.
                    if fetched.count == 3, request.code == 0x1007 {
                        try peer.serveDecently(request, HostileObject.jpegs(3))
                        _ = isOff.isFirst()
                        try peer.leave()
                    }
                    return false
                }
            }, always: { peer in try peer.leave() })
        let person = try Operator()
        let outcome = try person.run(
            Trouble.run(camera, person) + ["--once", "--idle", "20s", "--retry", "2s"])
        #expect(outcome.code == 0, "\(outcome.text)\(outcome.errors)")
        #expect(!isOff.isFirst())
        #expect(try person.arrived().count == 3)
        #expect(
            outcome.errors.contains("is away; everything that it had shown is delivered"), "\(outcome.errors)"
        )
    }

    @Test("what is no camera is told in the operator's words, also by a bridge", arguments: [Way.once, .get])
    func hints(way: Way) throws {
        for (bytes, name, advice) in HostileOddTests.foreigners {
            let camera = try HostileCamera(always: { peer in try peer.say(bytes) })
            let person = try Operator()
            let outcome = try person.run(
                way == .get
                    ? ["camera", "get", camera.address, "--all", "--to", person.out]
                    : Trouble.run(camera, person) + ["--once", "--retry", "1s"])
            #expect(outcome.code == (way == .get ? 65 : 69), "\(outcome.errors)")
            #expect(outcome.errors.contains(name) && outcome.errors.contains(advice), "\(outcome.errors)")
        }
    }
}

/// What a camera was asked to do to which objects.
final class Notes: Sendable {
    private let noted = Mutex<[UInt32]>([])

    var handles: [UInt32] { noted.withLock { $0 } }

    func note(_ handle: UInt32) {
        noted.withLock { $0.append(handle) }
    }
}

/// The first of many.
final class Once: Sendable {
    private let happened = Mutex(false)

    func isFirst() -> Bool {
        happened.withLock { happened in
            defer { happened = true }
            return !happened
        }
    }
}
