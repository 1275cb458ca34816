import Bridge
import Camera
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// What is learned of bodies that list slowly, or treat probes in their own way: it costs one connection at the most.
@Suite struct HangLearningTests {
    @Sendable private static func list(_ driver: any CameraDriver) async throws {
        try await HangTests.survey(driver)
        _ = try await driver.references()
    }

    @Test("a body that answers probes half a minute late is cut in a list once at the most")
    func lateProbes() async throws {
        let scene = try HangScene("stall after=0 for=100s operation=0x1007\nlate-probes by=30s")
        var cut = 0
        for _ in 0..<4 {
            let met = try await scene.met(knowing: scene.left.value, Self.list)
            if met.failure != nil { cut += 1 }
        }
        #expect(cut <= 1)
    }

    @Test("a body that is slow at its first list only is not cut in the first list of its next connection")
    func quickerLists() async throws {
        // In the lists that are slow: the first, the third and the fourth of all.
        let scene = try HangScene(
            "stall after=0 for=100s operation=0x1007 times=1\n"
                + "stall after=0 for=100s operation=0x1007 skip=1 times=2\nignore-probes")
        let first = try await scene.met { driver in
            try await HangTests.survey(driver)
            _ = try await driver.references()
            _ = try await driver.references()
        }
        #expect(first.failure == nil && first.time == .seconds(200))
        #expect(scene.left.value?.traits["list-seconds"] == "120")
        let second = try await scene.met(knowing: scene.left.value, Self.list)
        #expect(second.failure == nil && second.time == .seconds(100))
        #expect(scene.left.value?.traits["list-seconds"] == "120")
        // The first list of a connection that is quick shows that they are.
        let third = try await scene.met(knowing: scene.left.value, Self.list)
        #expect(third.failure == nil && third.time == .zero)
        #expect(scene.left.value?.traits["list-seconds"] == nil)
    }

    @Test("a body that hangs up when it is probed is not probed again, in this run and in others")
    func hangsUpOnProbe() async throws {
        let scene = try HangScene("hang-up-on-probe")
        let lost = try await scene.met(HangTests.survey)
        #expect(lost.failure != nil)
        let met = try await scene.met(knowing: scene.left.value, Self.list)
        #expect(met.failure == nil)
        let learned = try #require(scene.left.value)
        #expect(learned.traits["answers-probes"] == "no")
        let later = try await HangScene("hang-up-on-probe").met(knowing: learned, Self.list)
        #expect(later.failure == nil)
    }

    @Test("a greeting that fails between two connections takes nothing back of what a list has taught")
    func failedGreeting() async throws {
        let scene = try HangScene(
            "stall after=0 for=100s operation=0x1007\nignore-probes when=asked\n"
                + "cut after=0 operation=0x1001 skip=1 times=1")
        let cut = try await scene.met { try await HangTests.survey($0) }
        HangTests.expectHang(cut.failure, silentFor: 25)
        let known = scene.left.value
        let greeting = await #expect(throws: CameraFailure.self) {
            _ = try await scene.met(knowing: known) { _ in }
        }
        #expect(greeting != nil)
        let listed = try await scene.met(knowing: known) { try await HangTests.survey($0) }
        #expect(listed.failure == nil)
    }

    @Test("nor does another GUID of a body that says another one each time")
    func unstableGUID() async throws {
        let scene = try HangScene(
            "stall after=0 for=100s operation=0x1007\nignore-probes when=asked\nunstable-guid", serial: "")
        let cut = try await scene.met { try await HangTests.survey($0) }
        HangTests.expectHang(cut.failure, silentFor: 25)
        let listed = try await scene.met(knowing: scene.left.value) { try await HangTests.survey($0) }
        #expect(listed.failure == nil)
    }
}
