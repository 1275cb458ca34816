import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// Photos that a Canon keeps in its memory for the host, and gives its memory back for.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonMemoryTests {
    /// Shoots until the body has room for it on our disk: it has to be told of that first.
    private static func shoot(_ stand: GenericStand, _ changes: CameraChanges.Iterator) async
        -> PhotoReference?
    {
        while !Task.isCancelled, await stand.rig.camera.photos().isEmpty { await stand.shoot() }
        while let change = await changes.next() {
            if case .added(let reference) = change { return reference }
        }
        return nil
    }

    private static func connected(
        _ model: String, _ script: String = "",
        _ use:
            @escaping @Sendable (any CameraDriver, GenericStand, CameraChanges.Iterator) async throws -> Void
    ) async throws {
        let stand = try CanonBody.stand(model, "canon-destination to=host\n" + script)
        try await stand.connector().met(knowing: nil) { driver in
            try await use(driver, stand, driver.changes.makeAsyncIterator())
        }
    }

    @Test(
        "a photo for the host is told of, is in memory, comes whole, and its memory is free once it is released",
        arguments: ["canon-80d", "canon-r6"], ["", "canon-long-names"])
    func host(model: String, script: String) async throws {
        try await Self.connected(model, script) { driver, stand, changes in
            let reference = try #require(await Self.shoot(stand, changes))
            let photos = try await stand.photos()
            #expect(try await driver.references().contains(reference))
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.map(\.reference) == [reference] && survey.references.contains(reference))
            let offer = try #require(try await driver.describe(reference, withRating: false))
            #expect(offer.isInMemory && offer.key == nil && offer == survey.offers.first)
            let sink = ArraySink()
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(sink.bytes == photos[offer.identity.name])
            #expect(try await stand.photos().count == 1, "it is kept until it is released")
            try await driver.release(offer)
            #expect(try await stand.photos().isEmpty)
            let left = try await driver.references()
            #expect(!left.contains(reference))
        }
    }

    @Test("a body that does not describe what it keeps for us has described it in its request")
    func undescribed() async throws {
        let script = "refuse operation=0x1008 code=0x2009 object=\(CanonBody.firstPhoto)"
        try await Self.connected("canon-80d", script) { driver, stand, changes in
            let reference = try #require(await Self.shoot(stand, changes))
            let offer = try #require(try await driver.describe(reference, withRating: false))
            #expect(offer.isInMemory && offer.identity.name == "IMG_0001.JPG")
            #expect(offer.identity.size == 200_000 && offer.identity.format == 0x3801)
        }
    }

    @Test("what is taken back is told as gone, and is not among what there is")
    func withdrawn() async throws {
        let model = try #require(CameraModel.named("canon-80d"))
        let stand = GenericStand(
            try Rig("canon-destination to=host\ncanon-withdraw", photos: 0, model: model))
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            var told: [CameraChange] = []
            while told.count < 2 {
                if told.isEmpty { await stand.shoot() }
                while !Task.isCancelled, !stand.rig.log.value.contains("photo taken") { await stand.shoot() }
                if let change = await changes.next() { told.append(change) }
            }
            let reference = PhotoReference(CanonBody.firstPhoto)
            #expect(told == [.added(reference), .removed(reference)])
            let left = try await driver.references()
            #expect(!left.contains(reference))
        }
    }

    @Test(
        "what goes to the card and to the host is a photo on the card, and its memory is free once it has come"
    )
    func both() async throws {
        let stand = try CanonBody.stand("canon-80d", "canon-destination to=both")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            // More than the memory holds.
            for number in 1...20 {
                while !Task.isCancelled, try await stand.photos().count < number { await stand.shoot() }
                var told: PhotoReference?
                while told == nil, let change = await changes.next() {
                    if case .added(let reference) = change { told = reference }
                }
                let reference = try #require(told)
                let offer = try #require(try await driver.describe(reference, withRating: false))
                #expect(!offer.isInMemory && offer.key != nil)
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
            }
            #expect(try await stand.photos().count == 20, "nothing was deleted from the card")
        }
    }

    @Test("what goes to both and is not fetched blocks nothing")
    func notFetched() async throws {
        let stand = try CanonBody.stand("canon-80d", "canon-destination to=both")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            // More than twice what the memory holds.
            for number in 1...40 {
                while !Task.isCancelled, try await stand.photos().count < number { await stand.shoot() }
                var told = false
                while !told, let change = await changes.next() {
                    if case .added = change { told = true }
                }
            }
            #expect(try await stand.photos().count == 40)
        }
    }

    @Test(
        "a photo on the card that came whole has come, whatever the body says of its memory, and the next is told"
    )
    func wholeAllTheSame() async throws {
        let stand = try CanonBody.stand(
            "canon-80d", "canon-destination to=both\nrefuse operation=0x9117 code=0x2009")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            let first = await Self.shoot(stand, changes)
            await stand.shoot()
            var second: PhotoReference?
            while second == nil, let change = await changes.next() {
                if case .added(let reference) = change, reference != first { second = reference }
                // As it is said when the noticing has come to an end.
                if case .remark(let sentence) = change, sentence.contains("not asked for any more") { break }
            }
            for reference in try [#require(first), #require(second)] {
                let offer = try #require(try await driver.describe(reference, withRating: false))
                let sink = ArraySink()
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
                #expect(try await sink.bytes == stand.photos()[offer.identity.name])
            }
        }
    }

    @Test("a photo in memory that cannot be described costs no connection and hides no other")
    func undescribable() async throws {
        let script =
            "canon-long-names\nrefuse operation=0x1008 code=0x2002 object=\(CanonBody.firstPhoto)"
        try await Self.connected("canon-80d", script) { driver, stand, changes in
            let first = try #require(await Self.shoot(stand, changes))
            await stand.shoot()
            var second: PhotoReference?
            while second == nil, let change = await changes.next() {
                if case .added(let reference) = change, reference != first { second = reference }
            }
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.unreadable.keys.map(\.self) == [first] && survey.references.contains(first))
            #expect(survey.offers.map(\.reference) == [second].compactMap { $0 })
        }
    }

    @Test("where photos go is not changed: what the photographer has set stays so")
    func untouched() async throws {
        for script in ["canon-destination to=card", "canon-destination to=both"] {
            let stand = try CanonBody.stand("canon-r6", script, photos: 1)
            try await stand.connector().met(knowing: nil) { driver in
                for offer in try await ConformanceCheck.offers(driver) {
                    try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
                    try await driver.release(offer)
                }
            }
            #expect(!stand.rig.log.value.contains { $0.hasPrefix("destination") })
            #expect(try await stand.photos().count == 1)
        }
    }
}
