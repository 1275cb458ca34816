import Bridge
import Camera
import TestSupport
import Testing

/// What there is, and what is new.
extension ConformanceCheck {
    func survey() async throws {
        let stand = try await make(photos: 5)
        let photos = try await stand.photos()
        let described = Shared(0)
        let survey = try await connected(stand) { driver in
            try await driver.survey(SurveyOptions()) { described.change { $0 += 1 } }
        }
        let sizes = photos.mapValues { UInt64($0.count) }
        #expect(survey.offers.count == 5)
        for offer in survey.offers {
            #expect(sizes[offer.identity.name] == offer.identity.size)
            #expect(survey.references.contains(offer.reference))
            #expect(offer.isInMemory == has(.keepsInMemory))
        }
        #expect(Set(survey.offers.map(\.identity.name)) == Set(photos.keys))
        #expect(survey.unreadable.isEmpty && survey.putOff.isEmpty)
        #expect(survey.hasCard == !has(.keepsInMemory))
        #expect(described.value >= 5, "each answer is told of")
    }

    func puttingOff() async throws {
        let stand = try await make()
        try await connected(stand) { driver in
            let whole = try await driver.survey(SurveyOptions(), onDescribed: {})
            let bad = try #require(
                whole.offers.sorted { $0.identity.name < $1.identity.name }.dropFirst().first)
            let byName = try await driver.survey(SurveyOptions(puttingOff: [bad.reference]), onDescribed: {})
            #expect(byName.putOff.map(\.reference) == [bad.reference])
            let place = try #require(byName.putOff.first?.place)
            let byPlace = try await driver.survey(SurveyOptions(puttingOffPlaces: [place]), onDescribed: {})
            #expect(byPlace.putOff == [ListedPlace(bad.reference, place: place)])
            for survey in [byName, byPlace] {
                #expect(survey.references == whole.references)
                #expect(Set(survey.offers) == Set(whole.offers).subtracting([bad]))
            }
        }
    }

    func endsWhenDescribing() async throws {
        // Its reference in another connection is another.
        guard !has(.renames) else { return }
        let good = try await make()
        let expected = try await connected(good) { try await Self.three($0)[1].reference }
        let stand = try await make(photos: 3, .endsWhenDescribing(2))
        let bySurvey = await Self.failure {
            try await connected(stand) { _ = try await $0.survey(SurveyOptions(), onDescribed: {}) }
        }
        #expect(bySurvey?.object?.reference == expected && bySurvey?.object?.place != nil)
        let alone = await Self.failure {
            try await connected(stand) { _ = try await $0.describe(expected, withRating: false) }
        }
        #expect(alone?.object?.reference == expected)
        for failure in [bySurvey, alone] {
            #expect(Self.mayBeItsDoing(failure))
            Self.expectSentences(failure)
        }
        let past = try await connected(stand) { driver in
            try await driver.survey(SurveyOptions(puttingOff: [expected]), onDescribed: {})
        }
        #expect(past.offers.count == 2 && past.putOff.map(\.reference) == [expected])
    }

    func references() async throws {
        let stand = try await make()
        let (listed, surveyed) = try await connected(stand) { driver in
            (
                try await driver.references(),
                try await driver.survey(SurveyOptions(), onDescribed: {}).references
            )
        }
        #expect(listed == surveyed && listed.count >= 3)
    }

    func describe() async throws {
        let stand = try await make()
        try await connected(stand) { driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            for offer in survey.offers {
                #expect(try await driver.describe(offer.reference, withRating: false) == offer)
            }
            for other in survey.references.subtracting(survey.offers.map(\.reference)) {
                #expect(try await driver.describe(other, withRating: false) == nil)
            }
        }
        // Without a survey before, a photo lies where it lies all the same.
        try await connected(stand) { driver in
            for reference in try await driver.references() {
                if let offer = try await driver.describe(reference, withRating: false), !has(.keepsInMemory) {
                    #expect(!offer.identity.folders.isEmpty)
                }
            }
        }
    }

    func unknown() async throws {
        let stand = try await make()
        try await connected(stand) { driver in
            for text in ["0x7FFFFFF0", "no such thing", ""] {
                let failure = await Self.failure {
                    _ = try await driver.describe(PhotoReference(text), withRating: false)
                }
                #expect(failure?.trouble == .gone)
                Self.expectSentences(failure)
            }
            let others = try await Self.offers(driver)
            #expect(others.count == 3)
        }
    }

    func changes() async throws {
        guard !has(.saysNothing) else { return }
        let stand = try await make()
        try await connected(stand) { driver in
            let before = try await driver.references()
            let changes = driver.changes.makeAsyncIterator()
            await stand.shoot()
            var change = await changes.next()
            while let told = change, !told.isAboutPhotos { change = await changes.next() }
            let new = try await driver.references().subtracting(before)
            if has(.saysNotWhat) {
                #expect(change == .mayHaveMore)
            } else {
                guard case .added(let reference) = change else {
                    return #expect(Bool(false), "\(change.debugDescription)")
                }
                #expect(new.contains(reference))
                #expect(try await driver.describe(reference, withRating: false)?.reference == reference)
            }
        }
    }
}

extension CameraChange {
    fileprivate var isAboutPhotos: Bool {
        switch self {
        case .added, .changed, .removed, .mayHaveMore, .cardsChanged: true
        case .busy, .learned, .remark: false
        }
    }
}
