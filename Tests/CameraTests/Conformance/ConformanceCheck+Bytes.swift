import Basics
import Bridge
import Camera
import Digest
import TestSupport
import Testing

/// The bytes of photos, and what becomes of them on the camera.
extension ConformanceCheck {
    func fetch() async throws {
        let stand = try await make()
        let photos = try await stand.photos()
        try await connected(stand) { driver in
            for offer in try await Self.offers(driver) {
                let sink = ArraySink()
                let (hasher, moved) = (SHA256(), Shared<UInt64>(0))
                let intake = FetchOptions(
                    into: sink, hasher: hasher, workers: stand.workers,
                    onMoved: { count in moved.change { $0 += count } })
                let fetched = try await driver.fetch(offer, from: 0, into: intake)
                let expected = try #require(photos[offer.identity.name])
                #expect(sink.bytes == expected)
                #expect(fetched.received == UInt64(expected.count) && moved.value == fetched.received)
                #expect(hasher.finish() == SHA256.of(expected))
            }
        }
    }

    func resume() async throws {
        let stand = try await make()
        let photos = try await stand.photos()
        try await connected(stand) { driver in
            for offer in try await Self.offers(driver) {
                let canResume = await driver.canResume(offer)
                #expect(canResume == !(has(.givesNoParts) || has(.keepsInMemory)))
                guard canResume, let expected = photos[offer.identity.name] else { continue }
                for kept in [1, expected.count / 2, expected.count - 1] {
                    let sink = ArraySink(Array(expected.prefix(kept)))
                    let fetched = try await Self.fetch(offer, driver, into: sink, stand)
                    #expect(sink.bytes == expected)
                    #expect(
                        fetched.received == UInt64(expected.count - kept), "what was there is not counted")
                    #expect(fetched.parts > 0)
                }
            }
        }
    }

    func overlap() async throws {
        guard !has(.givesNoParts), !has(.keepsInMemory) else { return }
        let stand = try await make()
        let photos = try await stand.photos()
        try await connected(stand) { driver in
            let offer = try #require(try await Self.offers(driver).first)
            let expected = try #require(photos[offer.identity.name])
            let end = expected.count
            for range in [0..<1, 1000..<5096, end - 4096..<end] {
                let bytes = try await driver.bytes(
                    of: offer, UInt64(range.lowerBound)..<UInt64(range.upperBound), noProgress: nil)
                #expect(bytes == Array(expected[range]))
            }
        }
    }

    func endsWhenFetching() async throws {
        guard !has(.renames) else { return }
        let stand = try await make(photos: 3, .endsWhenFetching(2))
        let photos = try await stand.photos()
        let sink = ArraySink()
        let failure = await Self.failure {
            try await connected(stand) { driver in
                _ = try await Self.fetch(try await Self.three(driver)[1], driver, into: sink, stand)
            }
        }
        #expect(Self.mayBeItsDoing(failure))
        Self.expectSentences(failure)
        let names = photos.keys.sorted()
        let expected = try #require(photos[names[1]])
        #expect(sink.bytes.count < expected.count && sink.bytes == Array(expected.prefix(sink.bytes.count)))
        // The others come in another connection.
        guard !has(.keepsInMemory) else { return }
        try await connected(stand) { driver in
            let other = ArraySink()
            try await Self.fetch(try await Self.three(driver)[2], driver, into: other, stand)
            #expect(other.bytes == photos[names[2]])
        }
    }

    func refusesFetching() async throws {
        guard !has(.renames) else { return }
        let stand = try await make(photos: 3, .refusesFetching(2))
        let photos = try await stand.photos()
        try await connected(stand) { driver in
            let offers = try await Self.three(driver)
            let failure = await Self.failure {
                try await Self.fetch(offers[1], driver, into: ArraySink(), stand)
            }
            #expect([.notNow, .never, .startOver].contains(failure?.trouble))
            #expect(failure?.sentence.contains(offers[1].identity.name) == true)
            Self.expectSentences(failure)
            let sink = ArraySink()
            try await Self.fetch(offers[2], driver, into: sink, stand)
            #expect(sink.bytes == photos[offers[2].identity.name])
        }
    }

    func taker() async throws {
        let stand = try await make()
        let photos = try await stand.photos()
        try await connected(stand) { driver in
            let offers = try await Self.three(driver)
            let full = ArraySink(limit: 10_000)
            let failure = await Self.failure { try await Self.fetch(offers[0], driver, into: full, stand) }
            #expect(failure?.trouble == .taker && failure?.takerFailure is ArraySink.Full)
            #expect(failure?.outcome == .inputOutput)
            let sink = ArraySink()
            try await Self.fetch(offers[1], driver, into: sink, stand)
            #expect(sink.bytes == photos[offers[1].identity.name])
        }
    }

    func thumbnail() async throws {
        let stand = try await make()
        try await connected(stand) { driver in
            for offer in try await Self.offers(driver) {
                let bytes = try await driver.thumbnail(offer.reference)
                #expect(bytes.starts(with: [0xFF, 0xD8]) && UInt64(bytes.count) < offer.identity.size)
            }
        }
    }

    func release() async throws {
        guard has(.keepsInMemory) else { return }
        let stand = try await make()
        try await connected(stand) { driver in
            let offers = try await Self.three(driver)
            try await Self.fetch(offers[0], driver, into: ArraySink(), stand)
            let kept = Set(try await Self.offers(driver))
            #expect(kept == Set(has(.keepsUntilReleased) ? offers[...] : offers.dropFirst()))
            do throws(CameraFailure) {
                try await driver.release(offers[0])
                #expect(has(.keepsUntilReleased))
            } catch {
                #expect(error.trouble == .gone && !has(.keepsUntilReleased), "it has let go of it by itself")
            }
            #expect(Set(try await Self.offers(driver)) == Set(offers.dropFirst()))
        }
    }

    func delete() async throws {
        let stand = try await make()
        try await connected(stand) { driver in
            guard await driver.abilities.canDelete else { return }
            let offers = try await Self.three(driver)
            try await driver.delete(offers[1].reference)
            #expect(Set(try await Self.offers(driver)) == [offers[0], offers[2]])
            let again = await Self.failure { try await driver.delete(offers[1].reference) }
            #expect(again?.trouble == .gone)
        }
    }
}
