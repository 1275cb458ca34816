import Basics
import Bridge
import Camera
import TestSupport
import Testing

/// What happens to a body while an event lasts, and that each photo comes once through all of it.
extension ConformanceCheck {
    /// Its photos can be asked for at any time, and it says when there are new ones.
    private var isFollowed: Bool { !has(.keepsInMemory) && !has(.saysNothing) }

    func pairs() async throws {
        guard isFollowed else { return }
        let stand = try await make(photos: 0, .shootsPairs)
        let taker = PhotoTaker(stand)
        try await connected(stand) { driver in
            async let shooting: Void = {
                for _ in 0..<30 { await stand.shoot() }
            }()
            try await taker.follow(driver, until: 60)
            await shooting
        }
        try await expectAll(60, taker, stand)
        for kind in [PhotoKind.picture, .raw] {
            #expect(
                Set(taker.photos.filter { $0.offer.identity.kind == kind }.map(\.offer.identity)).count == 30)
        }
    }

    func burst() async throws {
        guard isFollowed else { return }
        let stand = try await make(photos: 0, .shoots(20, every: .milliseconds(50)))
        let taker = PhotoTaker(stand)
        try await connected(stand) { try await taker.take(20, from: $0) }
        try await expectAll(20, taker, stand)
    }

    func cuts() async throws {
        guard !has(.keepsInMemory) else { return }
        var random = Seeded(20)
        for _ in 0..<(Cases.isFull ? 20 : 3) {
            // Larger than any dataset, smaller than the photo.
            let place = Int.random(in: 1000..<199_000, using: &random)
            let stand = try await make(photos: 2, .cutsOnce(after: place))
            let taker = PhotoTaker(stand)
            let cut = await Self.failure { try await connected(stand) { try await taker.take(2, from: $0) } }
            #expect(Self.mayBeItsDoing(cut), "\(place)")
            try await connected(stand) { try await taker.take(2, from: $0) }
            try await expectAll(2, taker, stand, twice: has(.givesNoParts) ? UInt64(place) : 0)
        }
    }

    func cardSwap() async throws {
        guard isFollowed else { return }
        let stand = try await make(photos: 0, .changesCard)
        let taker = PhotoTaker(stand)
        let first = try await connected(stand) { driver in
            await stand.shoot()
            try await taker.follow(driver, until: 1)
            let photos = try await stand.photos()
            await stand.shoot()
            try await taker.follow(driver, until: 2)
            return photos
        }
        let second = try await stand.photos()
        #expect(first.keys == second.keys && first != second)
        #expect(taker.photos.map(\.bytes) == Array(first.values) + Array(second.values))
    }

    func wrap() async throws {
        guard isFollowed else { return }
        let stand = try await make(photos: 1, .numbersFrom(9999))
        let taker = PhotoTaker(stand)
        try await connected(stand) { driver in
            try await taker.take(1, from: driver)
            for _ in 0..<2 { await stand.shoot() }
            try await taker.follow(driver, until: 3)
        }
        try await expectAll(3, taker, stand)
        #expect(taker.photos.map { Int($0.offer.identity.stem.suffix(4)) } == [9999, 1, 2])
        let folders = taker.photos.map(\.offer.identity.folders)
        #expect(folders[0] != folders[1] && folders[1] == folders[2])
    }

    func twoBodies() async throws {
        guard isFollowed else { return }
        let stands = [try await make(photos: 2, .serial("11")), try await make(photos: 2, .serial("12"))]
        let takers = stands.map { PhotoTaker($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (stand, taker) in zip(stands, takers) {
                group.addTask {
                    try await connected(stand) { driver in
                        try await taker.take(2, from: driver)
                        await stand.shoot()
                        try await taker.follow(driver, until: 3)
                    }
                }
            }
            try await group.waitForAll()
        }
        for (stand, taker) in zip(stands, takers) { try await expectAll(3, taker, stand) }
        let both = takers.flatMap(\.photos)
        #expect(Set(both.map(\.offer.identity.path)).count == 3, "the same names")
        #expect(Set(both.map(\.offer.identity)).count == 6 && Set(both.map(\.bytes)).count == 6)
    }

    func sleep() async throws {
        guard !has(.keepsInMemory) else { return }
        let stand = try await make(photos: 2)
        let taker = PhotoTaker(stand)
        let before = try await connected(stand) { await $0.body }
        let slept = await Self.failure {
            try await connected(stand, knowing: before) { driver in
                try await taker.take(2, from: driver)
                await stand.switchOff()
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        guard case .connectionOver = slept?.trouble else { return #expect(Bool(false), "it is over") }
        await stand.switchOn()
        await stand.shoot()
        let after = try await connected(stand, knowing: before) { driver in
            try await taker.take(3, from: driver)
            return await driver.body
        }
        #expect(after.identity == before.identity)
        try await expectAll(3, taker, stand)
    }

    /// Each photo of the card once and byte for byte, and no byte of them twice, but for so many.
    private func expectAll(
        _ count: Int, _ taker: PhotoTaker, _ stand: any BodyUnderTest, twice: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let photos = try await stand.photos()
        let taken = taker.photos
        #expect(photos.count == count && taken.count == count, sourceLocation: sourceLocation)
        for photo in taken {
            #expect(photo.bytes == photos[photo.offer.identity.name], sourceLocation: sourceLocation)
        }
        #expect(
            Set(taken.map(\.offer.identity.name)) == Set(photos.keys), sourceLocation: sourceLocation)
        let whole = photos.values.reduce(UInt64(0)) { $0 + UInt64($1.count) }
        #expect(taker.received == whole + twice, sourceLocation: sourceLocation)
    }
}
