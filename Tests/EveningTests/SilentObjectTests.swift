import Basics
import Bridge
import Simulator
import Store
import TestSupport
import Testing
import WorldSupport

/// One object that is never described, among others that are.
@Suite struct SilentObjectTests {
    /// The eighth photo of a simulated card, behind its two folders.
    private static let eighth = 0x0001_0003 + 7

    @Test(
        "a camera that falls silent when it is asked for one object keeps the others waiting for seconds, not for its patience",
        arguments: [
            "stall after=0 operation=0x1008 object=\(eighth)", "hang for=3s operation=0x1008 times=1 skip=9",
        ])
    func silent(script: String) async throws {
        let turns = TurnExecutor()
        try await withTaskExecutorPreference(turns) {
            let world = try await GalleryWorld(seed: 1, on: turns) { _ in }
            try await world.add(script, photos: 12) { _, _ in }
            let began = world.clock.now
            try await world.start()
            let others = try await world.pass {
                try world.captures().filter { $0.state == .staged }.count >= 11
            }
            #expect(others && world.clock.now - began < .seconds(5), "\(world.clock.now - began)")
            // A pause is no reason to give anything up.
            if script.hasPrefix("hang") {
                #expect(await world.pass(until: { world.isAllThere() }), "\(world.missing)")
            }
            await world.stop()
        }
    }
}
