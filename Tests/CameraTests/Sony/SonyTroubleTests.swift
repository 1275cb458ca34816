import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What a Sony refuses, takes back or says without sense: nothing of it ends the stream of its photos, and nothing of it
/// goes unsaid.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyTroubleTests {
    private func camera(_ script: String = "") -> SonyCamera {
        SonyCamera(model: "sony-a7m4", script: script)
    }

    // MARK: Photos that are not to be had

    @Test("a photo that is said to be gone is asked for again, and the next one comes behind it")
    func saysItIsGone() async throws {
        let stand = try await camera("refuse operation=0x1009 code=0x2009 times=1").make(photos: 2)
        let names = try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            let failure = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
            }
            #expect(failure?.trouble == .notNow)
            ConformanceCheck.expectSentences(failure)
            let taken = try await stand.take(2, from: driver)
            #expect(taken.first?.offer == offer)
            return taken.map(\.name)
        }
        #expect(names == ["DSC00001.JPG", "DSC00002.JPG"])
    }

    @Test("a photo that the body has no more is told as gone, and the next one comes")
    func vanished() async throws {
        let asked = Shared(0)
        // For two answers it has nothing at all: as if what it had told of had been thrown away.
        let stand = try await camera().make(
            photos: 1,
            answers: { operation, answer in
                guard operation.code == .sonyAllProperties, case .bytes(let bytes) = answer.data else {
                    return answer
                }
                let count = asked.change { count in
                    count += 1
                    return count
                }
                return (2...3).contains(count) ? Self.altered(answer, bytes, .sonyShotsWaiting, 0) : answer
            })
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            var told: [CameraChange] = []
            for await change in driver.changes {
                told.append(change)
                if case .added = change { break }
            }
            #expect(told.contains(.removed(offer.reference)))
            #expect(told.contains { "\($0)".contains("only 0 of 20000 bytes came") })
            let left = try await driver.references()
            #expect(left.count == 1 && !left.contains(offer.reference))
        }
    }

    @Test("a body that says a photo is ready and refuses to describe it is complained of at once")
    func refusesToDescribe() async throws {
        let stand = try await camera("refuse operation=0x1008 code=0x2002 times=1").make(photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            #expect(await stand.remark("General", driver) != nil)
            let taken = try await stand.take(1, from: driver)
            #expect(taken.count == 1)
        }
    }

    // MARK: Answers without sense

    /// A property of a type that no document knows, in front of all others or behind them.
    private static func withUnknown(_ bytes: [UInt8], first: Bool) -> [UInt8] {
        let unknown = hex("FF D2  77 77  00 01  00 00 00")
        let count = [bytes[0] + 1] + bytes[1..<8]
        return first ? count + unknown + bytes[8...] : count + bytes[8...] + unknown
    }

    private static func altered(
        _ answer: BodyAnswer, _ bytes: [UInt8], _ code: DevicePropertyCode, _ value: UInt128
    ) -> BodyAnswer {
        var list = SonyPropertyList(reading: bytes[...], version: .three)
        for index in list.properties.indices where list.properties[index].code == code {
            list.properties[index].current = .unsigned(value)
        }
        var answer = answer
        answer.data = .bytes(list.encoded(for: .three))
        return answer
    }

    private func unreadable(first: Bool, photos: Int) async throws -> GenericStand {
        try await camera().make(
            photos: photos,
            answers: { operation, answer in
                guard operation.code == .sonyAllProperties, case .bytes(let bytes) = answer.data else {
                    return answer
                }
                var answer = answer
                answer.data = .bytes(Self.withUnknown(bytes, first: first))
                return answer
            })
    }

    @Test("a property that is not understood hides none of those before it, and is shown")
    func unknownBehind() async throws {
        let stand = try await unreadable(first: false, photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let sentence = try #require(await stand.remark("cannot be decoded", driver))
            #expect(sentence.contains("bytes: "))
            let taken = try await stand.take(1, from: driver)
            #expect(taken.count == 1)
        }
    }

    @Test("a body whose answers hide what waits is complained of, and left in the end")
    func unknownInFront() async throws {
        let stand = try await unreadable(first: true, photos: 1)
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                #expect(await stand.remark("cannot be decoded", driver) != nil)
                while true { try await driver.keepAlive() }
            }
        }
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("SonyAllProperties"))
    }

    // MARK: Where photos go

    @Test("another destination is explained whenever a person chooses one")
    func destinations() async throws {
        let chosen = Shared<UInt128>(0x10)
        let stand = try await camera().make(answers: { operation, answer in
            guard operation.code == .sonyAllProperties, case .bytes(let bytes) = answer.data else {
                return answer
            }
            return Self.altered(answer, bytes, .sonySaveDestination, chosen.value)
        })
        try await stand.connector().met(knowing: nil) { driver in
            #expect(await stand.remark("gives none to a computer", driver) != nil)
            chosen.change { $0 = 0x01 }
            #expect(await stand.remark("no copy on its card", driver) != nil)
            chosen.change { $0 = 0x11 }
            #expect(await stand.remark("keeps a copy", driver) != nil)
        }
    }

    @Test("a photo says whether it is the only copy", arguments: ["both", "host"])
    func onlyCopy(saves: String) async throws {
        let stand = try await camera("sony-saves to=\(saves)").make(photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            #expect(offer.isOnlyCopy == (saves == "host"))
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.remark?.contains("does not show its card") == true)
        }
    }

    @Test(
        "content transfer that a body does not list is not begun, and that is said", arguments: [true, false])
    func noTransfer(listsSessions: Bool) async throws {
        let missing = listsSessions ? "0x9212" : "0x9210"
        let code = listsSessions ? OperationCode.sonySetTransferMode : .sonyOpenSession
        let stand = try await camera().make(
            photos: 1,
            answers: { operation, answer in
                guard operation.code == .getDeviceInfo else { return answer }
                return answer.listing { $0.operations.removeAll { $0 == code } }
            })
        let transfer = try #require(DriverChoice("sony:transfer"))
        try await stand.connector { $0.driver = transfer }.met(knowing: nil) { driver in
            #expect(await stand.remark(missing, driver) != nil)
            let taken = try await stand.take(1, from: driver)
            #expect(taken.count == 1)
        }
        #expect(stand.complaints.isEmpty)
    }
}
