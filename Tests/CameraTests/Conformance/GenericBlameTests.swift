import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What the plain driver holds which object to account for, and what it does not.
@Suite struct GenericBlameTests {
    private func stand(_ script: String, photos: Int = 3) throws -> GenericStand {
        GenericStand(try Rig(script, photos: photos))
    }

    private func failure(
        _ stand: GenericStand, _ use: @escaping @Sendable (any CameraDriver) async throws -> Void
    ) async -> CameraFailure? {
        await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil, use)
        }
    }

    /// The second photo of a generated card, behind two folders and the first.
    private static let second = ListedPlace(PhotoReference("0x00010004"), place: 3)

    @Test("a photo over whose rating the connection ends is named, with its place, and can be put off")
    func rating() async throws {
        let stand = try stand("cut after=0 operation=0x9803 object=0x00010004")
        let wish = SurveyOptions(withRatings: true)
        let failed = await failure(stand) { _ = try await $0.survey(wish, onDescribed: {}) }
        #expect(failed?.object == Self.second && ConformanceCheck.mayBeItsDoing(failed))
        let past = try await stand.connector().met(knowing: nil) {
            try await $0.survey(
                SurveyOptions(withRatings: true, puttingOff: [Self.second.reference]), onDescribed: {})
        }
        #expect(past.offers.map(\.rating) == [1, 3])
        let alone = await failure(stand) {
            _ = try await $0.describe(Self.second.reference, withRating: true)
        }
        #expect(alone?.object?.reference == Self.second.reference && ConformanceCheck.mayBeItsDoing(alone))
    }

    @Test("so is one over whose identifier it ends")
    func stableID() async throws {
        let stand = try stand("cut after=0 operation=0x9803 object=0x00010004")
        let failed = await failure(stand) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(try await driver.stableID(of: offers[0]) != nil)
            _ = try await driver.stableID(of: offers[1])
        }
        #expect(failed?.object?.reference == Self.second.reference && ConformanceCheck.mayBeItsDoing(failed))
    }

    @Test(
        "a photo whose identifier the camera does not tell now keeps no other from its own",
        arguments: ["0x2002", "0x200F", "0x201D"])
    func identifierNotNow(code: String) async throws {
        let stand = try stand("refuse code=\(code) operation=0x9803 object=0x00010003")
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(try await driver.stableID(of: offers[0]) == nil)
            #expect(try await driver.stableID(of: offers[1]) != nil)
        }
    }

    @Test("a property that the camera does not have is asked for once")
    func noIdentifiers() async throws {
        let stand = try stand("refuse code=0xA80A operation=0x9803 times=1")
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(try await driver.stableID(of: offers[0]) == nil)
            #expect(try await driver.stableID(of: offers[1]) == nil, "it was not asked again")
        }
    }

    @Test("a folder that refuses to tell what is in it costs nothing but what is in it")
    func refusingFolder() async throws {
        let stand = GenericStand(
            try Rig("same-name\nlist-by-level\nrefuse code=0x2002 operation=0x1007 object=0x00010002"))
        try await stand.connector().met(knowing: nil) { driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(
                Set(survey.offers.map(\.identity.folders)) == [["DCIM", "101TETHR"], ["DCIM", "102TETHR"]])
            let folder = PhotoReference("0x00010002")
            #expect(Set(survey.unreadable.keys) == [folder])
            #expect(survey.unreadable[folder]?.contains("General_Error") == true)
            #expect(try await driver.references() == survey.references)
        }
    }

    @Test("one over whose list the connection ends is named, and gone round when it is to be left out")
    func endingFolder() async throws {
        let stand = GenericStand(
            try Rig("same-name\nlist-by-level\ncut after=0 operation=0x1007 object=0x00010002"))
        let folder = PhotoReference("0x00010002")
        let failed = await failure(stand) { _ = try await $0.survey(SurveyOptions(), onDescribed: {}) }
        #expect(failed?.object?.reference == folder && failed?.object?.place != nil)
        #expect(ConformanceCheck.mayBeItsDoing(failed))
        let past = try await stand.connector().met(knowing: nil) {
            try await $0.survey(SurveyOptions(puttingOff: [folder], leavingOut: [folder]), onDescribed: {})
        }
        #expect(past.offers.count == 2)
        // What is described later is looked into as well.
        let listed = await failure(stand) { driver in
            _ = try await driver.survey(
                SurveyOptions(puttingOff: [folder], leavingOut: [folder]), onDescribed: {})
            #expect(try await driver.describe(folder, withRating: false) == nil)
            _ = try await driver.references()
        }
        #expect(listed?.object?.reference == folder && ConformanceCheck.mayBeItsDoing(listed))
    }

    @Test(
        "a camera that has lost the session or the count is left, and no photo is to blame",
        arguments: ["0x2003", "0x2004"],
        ["0x1007", "0x1008", "0x1009", "0x101B", "0x9803", "0x1015", "0x100A"])
    func lostSession(code: String, operation: String) async throws {
        let stand = try stand("refuse code=\(code) operation=\(operation)")
        let failed = await failure(stand) { driver in
            _ = try await driver.clock()
            let offers = try await ConformanceCheck.three(driver)
            _ = try await driver.stableID(of: offers[0])
            _ = try await driver.thumbnail(offers[0].reference)
            try await ConformanceCheck.fetch(offers[0], driver, into: ArraySink(), stand)
            try await ConformanceCheck.fetch(offers[0], driver, into: ArraySink([0xFF]), stand)
        }
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failed?.trouble else {
            Issue.record("\(failed.debugDescription)")
            return
        }
        #expect(reason.hasSuffix("Connect again to go on."))
    }

    @Test(
        "a photo that streams on far beyond its size is broken off, and the next one comes",
        arguments: [(20_000, 179_999, true), (20_000, 180_000, false), (49_999, 0, true), (50_000, 0, false)])
    func withoutEnd(said: Int, lie: UInt64, isTooMuch: Bool) async throws {
        // 200000 bytes come.
        let stand = try stand("wrong-size as=\(said) object=0x00010003")
        let connector = try stand.connector { $0.sizesMayLieBy = lie }
        let photos = try await stand.photos()
        try await connector.met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            let sink = ArraySink()
            do throws(CameraFailure) {
                _ = try await driver.fetch(
                    offers[0], from: 0, into: FetchOptions(into: sink, workers: stand.workers))
                #expect(!isTooMuch && sink.bytes == photos[offers[0].identity.name])
            } catch {
                #expect(isTooMuch && error.trouble == .notNow && sink.bytes.count < 200_000)
            }
            let other = ArraySink()
            try await ConformanceCheck.fetch(offers[1], driver, into: other, stand)
            #expect(other.bytes == photos[offers[1].identity.name])
        }
    }
}
