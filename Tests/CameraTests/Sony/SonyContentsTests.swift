import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A simulated Sony that lists its card beside its memory.
struct SonyContentsBody: ConformingBody, CustomTestStringConvertible {
    var limits: Set<BodyLimit> = [.tellsNoTime]
    var driver: String { GenericDriver.name }
    var testDescription: String { "sony:contents" }

    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest {
        let first: UInt32 = 0x0001_0002
        let script =
            switch conduct {
            case .good, .endsWhenDescribing: ""
            case .endsWhenFetching(let photo): "cut after=50000 object=\(first + UInt32(photo))"
            case .refusesFetching(let photo):
                "access-lock object=\(first + UInt32(photo)) operation=0x923D"
            case .cutsOnce(let place): "cut after=\(place) object=\(first + 1) times=1"
            default: conduct.script
            }
        return try await Self.stand(photos: photos, script)
    }

    static func stand(
        photos: Int, _ script: String = "", clock: ManualClock? = nil,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in },
        answers: AlteredPersonality.Change? = nil
    ) async throws -> SonyCardStand {
        let seconds = Shared<Int64>(1_790_000_500)
        let stand = try await SonyCamera(
            model: "sony-a7m4", script: "sony-contents\nsony-saves to=card\n\(script)"
        ).make(
            photos: photos, size: 200_000, clock: clock,
            { settings, card in
                settings.localSeconds = {
                    seconds.change { seconds in
                        seconds += 1
                        return seconds
                    }
                }
                change(&settings, &card)
            }, answers: answers)
        return SonyCardStand(stand: stand, choice: try #require(DriverChoice("sony:contents")))
    }
}

@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyContentsTests {
    /// What one list tells is all there is: nothing is asked of one photo alone.
    private static let properties = DriverConformance.usual.filter { $0 != .endsWhenDescribing }

    @Test("a Sony that lists its card beside its memory", arguments: properties)
    func conforms(property: DriverConformance) async throws {
        try await property.check(SonyContentsBody())
    }

    @Test("RAW and JPEG of a shot are two files, with the identity that a list by the standard gives them")
    func identity() async throws {
        let stand = try await SonyContentsBody.stand(photos: 2) { $1.hasRawToo = true }
        let listed = try await stand.connector().met(knowing: nil) { try await ConformanceCheck.offers($0) }
        let transfer = SonyCardStand(stand: stand.stand, choice: try #require(DriverChoice("sony:transfer")))
        let same = try await transfer.connector().met(knowing: nil) { try await ConformanceCheck.offers($0) }
        #expect(listed.map(\.identity) == same.map(\.identity) && listed.count == 4)
        #expect(listed.map(\.identity.path).last == "DCIM/100MSDCF/DSC00002.JPG")
    }

    @Test(
        "a list of many pages is read to its end, shots of one second on both sides of a page's end included")
    func pages() async throws {
        let stand = try await SonyContentsBody.stand(photos: 250) { settings, card in
            card.photoSize = 2000
            let count = Shared<Int64>(0)
            settings.localSeconds = {
                count.change { count in
                    count += 1
                    return 1_790_000_500 + count / 7
                }
            }
        }
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(offers.count == 250)
            await stand.shoot()
            for await change in driver.changes {
                guard case .added(let reference) = change else { continue }
                #expect(
                    try await driver.describe(reference, withRating: false)?.identity.name == "DSC00251.JPG")
                break
            }
        }
    }

    @Test(
        "a photo that broke off is gone on with where the list is the one that it was, and else begun anew",
        arguments: [false, true])
    func resumes(isRenewed: Bool) async throws {
        let stand = try await SonyContentsBody.stand(
            photos: 2, "cut after=70000 operation=0x923D times=1" + (isRenewed ? "\nsony-renewed-list" : ""))
        let sink = ArraySink()
        let known = Shared<KnownBody?>(nil)
        _ = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                let body = await driver.body
                known.change { $0 = body }
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            }
        }
        #expect(sink.bytes.count == 70_000)
        try await stand.connector().met(knowing: known.value) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            #expect(await driver.canResume(offer) == !isRenewed)
            // By its identifier it is the same in any list.
            #expect(try await driver.stableID(of: offer)?.count == 64)
            let rest = isRenewed ? ArraySink() : sink
            try await ConformanceCheck.fetch(offer, driver, into: rest, stand)
            #expect(try await rest.bytes == stand.photos()["DSC00001.JPG"])
        }
        #expect(stand.stand.complaints.isEmpty)
    }

    @Test(
        "a body that fills its memory, or lists nothing in its present mode, is not taken in this way, with what to do",
        arguments: [
            ("sony-saves to=both", "to a computer as well"),
            ("refuse operation=0x923C code=0xA106", "present mode"),
        ])
    func refused(script: String, reason: String) async throws {
        let stand = try await SonyCamera(
            model: "sony-a7m4", script: script + "\nsony-contents\nsony-saves to=card"
        ).make(photos: 1)
        let choice = try #require(DriverChoice("sony:contents"))
        let failure = await ConformanceCheck.failure {
            try await stand.connector { $0.driver = choice }.met(knowing: nil) { _ in }
        }
        guard case .connectionOver(.needsPerson(let sentence), _) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(sentence.contains(reason) && sentence.contains("Camera Only"))
    }
}
