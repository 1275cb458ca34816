import Bridge
import Testing

/// Which of the bodies of one serial number it is that answers.
@Suite struct BodyRecognitionTests {
    private static let base = CameraIdentity(manufacturer: "Canon", model: "R5", body: "2002")
    private static let second = base.told(apartByWireID: "0b")
    private static let here = "10.0.0.1:15740"
    private static let there = "10.0.0.2:15740"

    private static func body(
        _ identity: CameraIdentity = base, showing wireID: String?, times: Int = 1, serial: String? = "2002"
    ) -> KnownBody {
        var body = KnownBody(identity: identity, driver: "generic", serial: serial)
        (body.wireID, body.timesShown) = (wireID, times)
        return body
    }

    private static func recognition(
        _ wireID: String?, known: [KnownBody], live: [CameraIdentity: String] = [:], serial: String? = "2002",
        lastHere: CameraIdentity? = nil
    ) -> BodyRecognition {
        BodyRecognition(
            of: body(showing: wireID, serial: serial), at: here, known: known,
            live: live.map { BodyRecognition.Live(identity: $0.key, place: $0.value) }, lastHere: lastHere)
    }

    @Test("a body that was never met has the name of its serial number")
    func first() {
        #expect(Self.recognition("0a", known: []).next() == .new(Self.base))
    }

    @Test(
        "a body is the one whose GUID it shows, at any address, even if another body has the same serial number"
    )
    func byGUID() {
        let known = [Self.body(Self.second, showing: "0b"), Self.body(showing: "0a")]
        #expect(Self.recognition("0a", known: known).next() == .known(Self.base, insteadOf: nil))
        #expect(Self.recognition("0b", known: known).next() == .known(Self.second, insteadOf: nil))
        let live = [Self.base: Self.there]
        #expect(
            Self.recognition("0b", known: known, live: live).next() == .known(Self.second, insteadOf: nil))
        // A connection at the same place is the one that it replaces.
        #expect(
            Self.recognition("0a", known: known, live: [Self.base: Self.here]).next()
                == .known(Self.base, insteadOf: nil))
    }

    @Test("a GUID that two connections have shown is the body's own: another one is another body")
    func twoConnections() {
        var alone = Self.recognition("0b", known: [Self.body(showing: "0a", times: 2)])
        #expect(alone.next() == .compare([Self.base]))
        alone.compared(CardComparison())
        #expect(alone.next() == .new(Self.second))
        // The other one need not be asked for that.
        var beside = Self.recognition(
            "0b", known: [Self.body(showing: "0a", times: 2)], live: [Self.base: Self.there])
        #expect(beside.next() == .compare([Self.base]))
        beside.compared(CardComparison())
        #expect(beside.next() == .new(Self.second))
        #expect(beside.others == [.init(identity: Self.base, place: Self.there)])
    }

    @Test(
        "a body that has shown its GUID once may have another by now, unless its photos have other contents")
    func once() {
        for (found, expected) in [
            (CardComparison(), BodyRecognition.Step.known(Self.base, insteadOf: nil)),
            (CardComparison(same: [Self.base]), .known(Self.base, insteadOf: nil)),
            (CardComparison(different: [Self.base]), .new(Self.second)),
        ] {
            var recognition = Self.recognition("0b", known: [Self.body(showing: "0a")])
            #expect(recognition.next() == .compare([Self.base]))
            recognition.compared(found)
            #expect(recognition.next() == expected)
        }
    }

    @Test("a GUID that is another one each time never speaks for a second body")
    func unstable() {
        var known = Self.body(showing: nil)
        for guid in ["0a", "0b", "0c", "0d"] {
            let former = known
            known.shows(guid, after: former)
            #expect(known.ownWireID == nil && known.tellingWireID == guid)
            var recognition = Self.recognition("\(guid)1", known: [known])
            recognition.compared(CardComparison(same: [Self.base]))
            #expect(recognition.next() == .known(Self.base, insteadOf: nil))
        }
        let former = known
        known.shows("0d", after: former)
        #expect(known.ownWireID == "0d")
    }

    @Test("two at once are two when the first still answers; when it does not, it has another address")
    func answering() {
        for guid in ["0a", "0b"] {
            var two = Self.recognition(guid, known: [Self.body(showing: "0a")], live: [Self.base: Self.there])
            #expect(two.next() == .ask(place: Self.there))
            two.answered(at: Self.there, true)
            if two.next() == .compare([Self.base]) { two.compared(CardComparison()) }
            // One GUID in both: only the place is left to tell them apart.
            let apart = guid == "0a" ? Self.base.told(apartBy: Self.here) : Self.second
            #expect(two.next() == .new(apart))
            // A GUID that both may have shown identifies neither for certain.
            #expect(two.adoption?.wireID == (guid == "0a" ? nil : guid))
            #expect(two.others.map(\.place) == [Self.there])

            var one = Self.recognition(guid, known: [Self.body(showing: "0a")], live: [Self.base: Self.there])
            one.answered(at: Self.there, false)
            if one.next() == .compare([Self.base]) { one.compared(CardComparison()) }
            #expect(one.next() == .known(Self.base, insteadOf: Self.there))
            #expect(one.others == [])
        }
    }

    @Test("one photo that is the same says more than one that is not, while no other body is there")
    func rated() {
        let rated = CardComparison(same: [Self.base], different: [Self.base])
        var alone = Self.recognition("0b", known: [Self.body(showing: "0a")])
        alone.compared(rated)
        #expect(alone.next() == .known(Self.base, insteadOf: nil))
        // What is proven is not outweighed by that.
        var proven = Self.recognition("0b", known: [Self.body(showing: "0a", times: 2)])
        proven.compared(rated)
        #expect(proven.next() == .new(Self.second))
        // Nor is another one taken for it while one of the name answers elsewhere.
        let third = Self.base.told(apartByWireID: "0c")
        var beside = Self.recognition(
            "0c", known: [Self.body(Self.second, showing: "0b"), Self.body(showing: "0a")],
            live: [Self.base: Self.there])
        #expect(beside.next() == .ask(place: Self.there))
        beside.answered(at: Self.there, true)
        beside.compared(CardComparison(same: [Self.second], different: [Self.second]))
        #expect(beside.next() == .new(third))
        #expect(beside.adoption?.proven == [])
    }

    @Test("a body whose own GUID is another one since a reset is known by its photos")
    func reset() {
        for times in [2, 1] {
            var recognition = Self.recognition("0b", known: [Self.body(showing: "0a", times: times)])
            #expect(recognition.next() == .compare([Self.base]))
            recognition.compared(CardComparison(same: [Self.base]))
            #expect(recognition.next() == .known(Self.base, insteadOf: nil))
        }
        // Better than one of which nothing is known.
        let known = [Self.body(Self.second, showing: "0b"), Self.body(showing: "0a", times: 2)]
        var recognition = Self.recognition("0c", known: known)
        recognition.compared(CardComparison(same: [Self.base]))
        #expect(recognition.next() == .known(Self.base, insteadOf: nil))
    }

    @Test(
        "a body whose GUID never tells anything is not compared at each connection, unless a second one was ever met"
    )
    func beyondDoubt() {
        let zeros = "00000000-0000-0000-0000-000000000000"
        var changing = Self.body(showing: "0a")
        let former = changing
        changing.shows("0b", after: former)
        for (guid, body) in [(zeros, Self.body(showing: zeros, times: 0)), ("0c", changing)] {
            let known = BodyRecognition.Step.known(Self.base, insteadOf: nil)
            #expect(Self.recognition(guid, known: [body], lastHere: Self.base).next() == known)
            let elsewhere = Self.recognition(guid, known: [body])
            #expect(elsewhere.next() == .compare([Self.base]))
            let live = Self.recognition(
                guid, known: [body], live: [Self.base: Self.there], lastHere: Self.base)
            #expect(live.next() == .ask(place: Self.there))
            let two = Self.recognition(
                guid, known: [body, Self.body(Self.second, showing: "0d")], lastHere: Self.base)
            #expect(two.next() == .compare([Self.base, Self.second]))
        }
        // One that may be a second body after all, and one of which an older version noted nothing.
        for wireID in ["0a", nil] {
            let once = Self.recognition("0b", known: [Self.body(showing: wireID)], lastHere: Self.base)
            #expect(once.next() == .compare([Self.base]))
        }
    }

    @Test("one GUID of its own and the same photos at two places at once are one body")
    func twice() {
        func recognition(times: Int, _ found: CardComparison, answers: Bool = true) -> BodyRecognition {
            var recognition = Self.recognition(
                "0a", known: [Self.body(showing: "0a", times: times)], live: [Self.base: Self.there])
            recognition.answered(at: Self.there, answers)
            recognition.compared(found)
            return recognition
        }
        let same = CardComparison(same: [Self.base])
        #expect(recognition(times: 2, same).next() == .twice(Self.base, at: Self.there))
        #expect(
            recognition(times: 2, same, answers: false).next() == .known(Self.base, insteadOf: Self.there))
        let apart = BodyRecognition.Step.new(Self.base.told(apartBy: Self.here))
        #expect(recognition(times: 1, same).next() == apart)
        #expect(recognition(times: 2, CardComparison()).next() == apart)
        let mixed = CardComparison(same: [Self.base], different: [Self.base])
        #expect(recognition(times: 2, mixed).next() == apart)
    }

    @Test("photos that were known under another's name are this body's where the contents say so")
    func formerNames() {
        var recognition = Self.recognition(
            "0b", known: [Self.body(showing: "0a", times: 2)], live: [Self.base: Self.there])
        recognition.compared(CardComparison(same: [Self.base]))
        #expect(recognition.next() == .new(Self.second))
        #expect(
            recognition.adoption
                == Adoption(wireID: "0b", namesakes: [Self.base], proven: [Self.base]))
        recognition.compared(CardComparison(different: [Self.base]))
        #expect(recognition.adoption?.proven == [])
    }

    @Test("zeros, and one byte again and again, tell nothing")
    func meaningless() {
        for guid in ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"] {
            var body = Self.body(showing: nil)
            for _ in 0..<3 {
                let former = body
                body.shows(guid, after: former)
            }
            #expect(body.tellingWireID == nil && body.ownWireID == nil)
            var recognition = Self.recognition(guid, known: [body], live: [Self.base: Self.there])
            #expect(recognition.next() == .ask(place: Self.there))
            recognition.answered(at: Self.there, true)
            #expect(recognition.next() == .compare([Self.base]))
            recognition.compared(CardComparison(same: [Self.base]))
            #expect(recognition.next() == .new(Self.base.told(apartBy: Self.here)))
        }
    }

    @Test(
        "of those that only their places tell apart, the one that was here last is likelier, and contents count more"
    )
    func byPlace() {
        let other = Self.base.told(apartBy: Self.there)
        let known = [Self.body(other, showing: "0a", times: 2), Self.body(showing: "0a", times: 2)]
        var recognition = Self.recognition("0a", known: known)
        #expect(recognition.next() == .compare([other, Self.base]))
        recognition.compared(CardComparison())
        #expect(recognition.next() == .known(other, insteadOf: nil))
        recognition.compared(CardComparison(same: [Self.base], different: [other]))
        #expect(recognition.next() == .known(Self.base, insteadOf: nil))
    }

    @Test("bodies without serial numbers that call themselves the same are told apart by their places alone")
    func nameless() {
        var recognition = Self.recognition(
            "0a", known: [Self.body(showing: "0a", times: 2, serial: nil)], live: [Self.base: Self.there],
            serial: nil)
        #expect(recognition.next() == .ask(place: Self.there))
        recognition.answered(at: Self.there, true)
        #expect(recognition.next() == .new(Self.base.told(apartBy: Self.here)))
        recognition.answered(at: Self.there, false)
        #expect(recognition.next() == .known(Self.base, insteadOf: Self.there))
    }
}
