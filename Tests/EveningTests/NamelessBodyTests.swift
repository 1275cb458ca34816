import Basics
import Bridge
import Simulator
import Store
import TestSupport
import Testing
import WorldSupport

/// Bodies that say nothing of their own: no serial number, no dates, the same GUID in all of them.
@Suite struct NamelessBodyTests {
    @Test(
        "of two bodies that nothing tells apart each photo arrives, also when they come back in another order"
    )
    func twins() async throws {
        let turns = TurnExecutor()
        try await withTaskExecutorPreference(turns) {
            let world = try await GalleryWorld(seed: 1, on: turns) { _ in }
            for seed in 1...2 as ClosedRange<UInt64> {
                try await world.add("truncate-strings", photos: 3) { card, _ in
                    (card.serial, card.seed, card.photoSize) = ("0000", seed, 20_000)
                }
            }
            try await world.start()
            #expect(await world.pass(until: { world.isAllThere() }), "\(world.missing)")
            await world.kill()
            for camera in world.cameras { await camera.camera.powerOff() }
            try await world.start()
            for camera in world.cameras.reversed() {
                await camera.camera.powerOn()
                for _ in 0..<2 { try await world.shoot(camera) }
                #expect(await world.pass(until: { world.isThere(camera) }), "\(world.missing)")
            }
            #expect(world.isAllThere() && world.neverShot == [] && world.fetchedAgain == [])
            let rows = try world.captures()
            #expect(rows.count == 10 && rows.allSatisfy { $0.state == .staged })
            #expect(Set(rows.compactMap(\.camera)).count == 2)
            await world.stop()
        }
    }
}
