import Bridge
import PTP
import Posix
import Simulator
import TestSupport
import Testing

@testable import Camera

/// What is not yet seen on a body is said when one does it: with its name, once in a connection, and of no other.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct UnseenTests {
    @Test("each has a sentence of its own that names the body, what is assumed, and the report to send")
    func sentences() {
        var met: Set<String> = []
        for conduct in Unseen.allCases {
            let sentence = conduct.sentence(on: "Body X")
            let parts = sentence.split(separator: ", which is not yet seen on a body: ")
            #expect(parts.count == 2 && parts[0].hasPrefix("the Body X "), "\(sentence)")
            #expect(sentence.contains("'tetherline camera info --report FILE'"), "\(conduct)")
            #expect(met.insert("\(parts[0])").inserted, "\(conduct): \(sentence)")
            let exact = conduct.sentence(on: "Body X", "0x1234")
            #expect(exact.contains(" (0x1234), which is not yet seen"), "\(exact)")
        }
    }

    /// Those of them that were said in a connection in which this was done, in their order.
    private func said(
        _ connector: any CameraConnector, _ use: @Sendable (any CameraDriver, Heard) async throws -> Void
    ) async throws -> [String] {
        let heard = Heard()
        let changes = try await connector.met(knowing: nil) { driver in
            try await use(driver, heard)
            return driver.changes
        }
        for await change in changes { heard.note(change) }
        return heard.remarks.value.filter { $0.contains("not yet seen on a body") }
    }

    /// What a test has read of a driver's changes.
    private final class Heard: Sendable {
        let remarks = Shared<[String]>([])

        func note(_ change: CameraChange) {
            if case .remark(let sentence) = change { remarks.change { $0.append(sentence) } }
        }

        func added(_ driver: any CameraDriver) async -> PhotoReference? {
            for await change in driver.changes {
                note(change)
                if case .added(let reference) = change { return reference }
            }
            return nil
        }
    }

    /// As ``Unseen`` has it of this body.
    private func expect(
        _ said: [String], _ expected: [Unseen], on body: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let prefixes = expected.map { "\($0.sentence(on: body).prefix { $0 != "," })" }
        for prefix in prefixes {
            #expect(
                said.count { $0.hasPrefix(prefix) } == 1, "\(prefix): \(said)", sourceLocation: location)
        }
        #expect(said.count == expected.count, "\(said)", sourceLocation: location)
    }

    private static let makers = CameraModel.all.filter { $0.name != CameraModel.generic.name }

    @Test("an evening with a body as it is known says nothing of this", arguments: makers)
    func ordinary(model: CameraModel) async throws {
        let stand = GenericStand(try Rig("nikon-paired", model: model))
        let said = try await said(try stand.connector()) { driver, heard in
            _ = try await driver.survey(SurveyOptions(), onDescribed: {})
            await stand.shoot()
            let reference = try #require(await heard.added(driver))
            let offer = try #require(try await driver.describe(reference, withRating: false))
            try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
        }
        #expect(said == [])
    }

    // MARK: Canon

    @Test(
        "records and handles that were only read of, each once however often they come",
        arguments: [
            ("canon-destination to=both", [Unseen.canonLargeRequest, .canonOneHandle]),
            ("canon-long-names", [.canonLongName]),
        ])
    func canonRecords(script: String, expected: [Unseen]) async throws {
        let stand = try CanonBody.stand("canon-r6", script)
        let said = try await said(try stand.connector()) { driver, heard in
            for shot in 1...3 {
                // It has to be told of room on our disk first.
                while try await stand.photos().count < shot { await stand.shoot() }
                _ = await heard.added(driver)
            }
        }
        expect(said, expected, on: "Canon EOS R6")
    }

    @Test("operations that are listed and not relied on, and a body that is busy at first")
    func canonGreeting() async throws {
        let stand = GenericStand(
            try Rig(
                "busy operation=0x9115 times=2", model: try #require(CameraModel.named("canon-80d")),
                answers: { operation, answer in
                    guard operation.code == .getDeviceInfo else { return answer }
                    return answer.listing {
                        $0.operations += [0x9170, 0x9172].map { OperationCode(rawValue: $0) }
                    }
                }))
        let said = try await said(try stand.connector()) { _, _ in }
        expect(said, [.canonBusyAtFirst, .canonParts, .canonInfo], on: "Canon EOS 80D")
    }

    @Test("a body that is not ready at first for another reason is not said to be busy")
    func canonNotReady() async throws {
        let stand = try CanonBody.stand("canon-80d", "refuse operation=0x9115 code=0xA102 times=2")
        let said = try await said(try stand.connector()) { _, _ in }
        expect(said, [], on: "Canon EOS 80D")
        #expect(stand.rig.log.value.contains("event mode 1"), "it was told again")
    }

    // MARK: Nikon

    @Test("what was met in a greeting that ended is said in the connection after it")
    func nikonPairing() async throws {
        let stand = GenericStand(
            try Rig(
                "nikon-pairing empty=0 as=bcd confirm=1ms restart=1ms",
                model: try #require(CameraModel.named("nikon-z8"))))
        let connector = try stand.connector()
        let first = await ConformanceCheck.failure { try await connector.met(knowing: nil) { _ in } }
        #expect(first?.reason.contains("restarts its Wi-Fi") == true)
        for _ in 0..<200 {
            do {
                expect(try await said(connector) { _, _ in }, [.nikonPairingCode], on: "Z 8")
                return expect(try await said(connector) { _, _ in }, [], on: "Z 8")
            } catch let failure as CameraFailure where failure.outcome == .unavailable {
                try await stand.rig.reactor.sleep(until: stand.rig.reactor.now + .milliseconds(20))
            }
        }
        Issue.record("it never came back")
    }

    @Test(
        "so is what was met on leaving, and a profile that is refused",
        arguments: [
            ("refuse code=0x2005 operation=0x9435 skip=1 times=1", Unseen.nikonModeNotLeft),
            ("refuse code=0x2005 operation=0x9435 times=1", .nikonNotPaired),
        ])
    func nikonMode(script: String, expected: Unseen) async throws {
        let stand = try NikonBodyUnderTest(model: "nikon-z8").stand(script)
        let connector = try stand.connector()
        do {
            expect(try await said(connector) { _, _ in }, [], on: "Z 8")
        } catch let failure as CameraFailure {
            #expect(expected == .nikonNotPaired && failure.advice.contains("delete the profile"))
        }
        expect(try await said(connector) { _, _ in }, [expected], on: "Z 8")
    }

    @Test("a photo that an earlier connection left in the memory, and events behind a number that is none")
    func nikonMemory() async throws {
        let stand = try NikonBodyUnderTest(model: "nikon-z6ii").stand(
            photos: 0, "nikon-in-memory",
            answers: { operation, answer in
                guard operation.code == .nikonGetEventEx, case .bytes(var bytes) = answer.data,
                    bytes.count > 4
                else { return answer }
                var answer = answer
                bytes[2] = 1
                answer.data = .bytes(bytes)
                return answer
            })
        let connector = try stand.connector()
        let first = try await said(connector) { driver, heard in
            await stand.shoot()
            _ = await heard.added(driver)
        }
        expect(first, [.nikonEventCount], on: "Z 6II")
        let second = try await said(connector) { driver, _ in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.count == 1)
        }
        expect(second, [.nikonKeptInMemory], on: "Z 6II")
    }

    @Test("the photos of picture transfer, and an answer there that is not known")
    func nikonJobs() async throws {
        let stand = try NikonBodyUnderTest(model: "nikon-z6ii").stand(
            photos: 1, "nikon-picture-transfer\nrefuse code=0x2002 operation=0x9010 times=1")
        let connector = try stand.connector { $0.traits = ["transfer-jobs": "yes"] }
        let said = try await said(connector) { driver, heard in
            _ = try await driver.survey(SurveyOptions(), onDescribed: {})
            await stand.shoot()
            _ = await heard.added(driver)
        }
        expect(said, [.nikonJobAnswer, .nikonJob], on: "Z 6II")
        #expect(said.first?.contains("General_Error") == true)
    }

    // MARK: Sony

    @Test("a memory that is said to be full of all answers to another question, and a photo that comes again")
    func sonyMemory() async throws {
        let stand = try await SonyCamera(
            model: "sony-a7m4", script: "sony-keeps-cut\nrefuse operation=0x1008 code=0xA105 times=1"
        ).make(photos: 1, size: 8 << 20)
        let said = try await said(try stand.connector()) { driver, heard in
            let reference = try #require(await heard.added(driver))
            let offer = try #require(try await driver.describe(reference, withRating: false))
            _ = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(limit: 10), stand)
            }
            #expect(await heard.added(driver) == reference)
        }
        expect(said, [.sonyFull, .sonyOfferedAgain], on: "ILCE-7M4")
        #expect(said.first?.contains("GetObjectInfo") == true)
    }

    @Test("notices of lists, and properties by other rules than the version's")
    func sonyNotices() async throws {
        let stand = try await SonyCamera(model: "sony-a7m4").make(answers: { operation, answer in
            var answer = answer
            if operation.code == .sonyAllProperties {
                answer.notices = [EventPacket(code: EventCode(rawValue: 0xC234))]
            } else if operation.code == .sonyExtendedDeviceInfo, case .bytes(var bytes) = answer.data {
                // It says 2.00, and has two lists for each enumeration all the same.
                bytes.replaceSubrange(..<2, with: [0xC8, 0x00])
                answer.data = .bytes(bytes)
            }
            return answer
        })
        let said = try await said(try stand.connector()) { driver, heard in
            await stand.shoot()
            _ = await heard.added(driver)
        }
        expect(said, [.sonyOtherRules, .sonyListNotice], on: "ILCE-7M4")
    }

    @Test("a session for content transfer")
    func sonyTransfer() async throws {
        let stand = try await SonyCamera(model: "sony-a7m4").make(photos: 1)
        let choice = try #require(DriverChoice("sony:transfer"))
        let said = try await said(try stand.connector { $0.driver = choice }) { driver, _ in
            _ = try await driver.survey(SurveyOptions(), onDescribed: {})
        }
        expect(said, [.sonyContentTransfer], on: "ILCE-7M4")
    }
}
