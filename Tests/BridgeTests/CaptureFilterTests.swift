import Bridge
import Testing

@Suite struct CaptureFilterTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let filter: CaptureFilter
        let offer: Offer
        let objection: FilterRule?

        init(
            _ description: String, _ objection: FilterRule?, name: String = "a.JPG",
            date: String = "20260101T120000", size: UInt64 = 5000,
            filter: (inout CaptureFilter) -> Void = { _ in },
            offer: (inout Offer) -> Void = { _ in }
        ) {
            testDescription = description
            self.objection = objection
            let identity = PhotoIdentity(
                manufacturer: "a", model: "b", body: "c", slot: 1, folders: [], name: name, size: size,
                captureDate: date, format: 0x3000)
            var changed = Offer(identity: identity, reference: PhotoReference("\(1)"))
            offer(&changed)
            self.offer = changed
            var rules = CaptureFilter()
            filter(&rules)
            self.filter = rules
        }
    }

    /// 2026-01-01 12:00:00 by the camera's clock.
    static let noon: Int64 = 1_767_268_800

    static let ages: [Case] = [
        Case("a photo from the very second is taken", nil) { $0.taking = TakingRule(since: noon) },
        Case("a photo from a second before is not", .older) { $0.taking = TakingRule(since: noon + 1) },
        Case("without a wish for a time none is too old", nil, date: "19700101T000000"),
        Case("no date is never older", nil, date: "") { $0.taking = TakingRule(since: .max) },
        Case("a date that no calendar has is never older", nil, date: "20260001T000000") {
            $0.taking = TakingRule(since: .max)
        },
        Case("what is no date is never older", nil, date: "yesterday at noon") {
            $0.taking = TakingRule(since: .max)
        },
        Case(
            "what is in the camera's memory is never older", nil,
            filter: { $0.taking = TakingRule(since: .max) },
            offer: { $0.isInMemory = true }),
        Case("a zone in the date changes nothing", nil, date: "20260101T120000+0900") {
            $0.taking = TakingRule(since: noon)
        },
    ]

    /// For each wish, what becomes of a JPEG, a HEIF, a RAW and a film.
    static let kinds: [Case] = {
        let names = ["a.JPG", "a.HIF", "a.NEF", "a.MOV"]
        let wishes: [(CaptureFilter.Kinds, [FilterRule?])] = [
            (.both, [nil, nil, nil, nil]), (.jpegFirst, [nil, nil, nil, nil]),
            (.jpeg, [nil, nil, .kind, .kind]), (.raw, [.kind, .kind, nil, .kind]),
        ]
        return wishes.flatMap { kinds, objections in
            zip(names, objections).map { name, objection in
                Case("\(kinds.rawValue) and \(name)", objection, name: name) { $0.kinds = kinds }
            }
        }
    }()

    static let others: [Case] = [
        Case("a format that is wanted", nil, name: "a.jpg") { $0.formats = ["JPG", "NEF"] },
        Case("a format that is not", .format, name: "a.ARW") { $0.formats = ["JPG", "NEF"] },
        Case("the other spelling of a format", nil, name: "a.JPEG") { $0.formats = ["JPG", "NEF"] },
        Case("no extension is no format", .format, name: "JPG") { $0.formats = ["JPG"] },
        Case("the last extension counts", .format, name: "a.JPG.CR3") { $0.formats = ["JPG"] },
        Case("unprotected", .unprotected) { $0.onlyProtected = true },
        Case("protected", nil, filter: { $0.onlyProtected = true }, offer: { $0.isProtected = true }),
        Case("protected without a wish for it", nil, offer: { $0.isProtected = true }),
        Case("no rating counts as none", .rating) { $0.minimumRating = 1 },
        Case("no rating is enough for none", nil) { $0.minimumRating = 0 },
        Case("too few stars", .rating, filter: { $0.minimumRating = 3 }, offer: { $0.rating = 2 }),
        Case("just enough stars", nil, filter: { $0.minimumRating = 3 }, offer: { $0.rating = 3 }),
        Case("too small", .small) { $0.minimumSize = 5001 },
        Case("just large enough", nil) { $0.minimumSize = 5000 },
        Case("a size of 0 is not known yet", nil, size: 0) { $0.minimumSize = 5001 },
        Case("a size of 2^32 - 1 is not known yet", nil, size: 4_294_967_295) { $0.minimumSize = .max },
        Case(
            "other rules hold for what is in memory too", .unprotected, filter: { $0.onlyProtected = true },
            offer: { $0.isInMemory = true }),
    ]

    @Test("a filter answers as its rules say", arguments: ages + kinds + others)
    func rules(_ one: Case) {
        #expect(one.filter.objection(to: one.offer) == one.objection)
    }

    @Test("of several objections the first by the order of the rules is told")
    func firstObjection() {
        let all = Case("", nil, name: "a.MOV") {
            $0.taking = TakingRule(since: Self.noon + 1)
            $0.kinds = .jpeg
            $0.formats = ["JPG"]
            $0.onlyProtected = true
            $0.minimumRating = 5
            $0.minimumSize = 5001
        }
        var filter = all.filter
        var told: [FilterRule?] = []
        let lifts: [(inout CaptureFilter) -> Void] = [
            { $0.taking = .everything }, { $0.kinds = .both }, { $0.formats = [] },
            { $0.onlyProtected = false },
            { $0.minimumRating = nil }, { $0.minimumSize = 0 },
        ]
        for lift in lifts {
            told.append(filter.objection(to: all.offer))
            lift(&filter)
        }
        // What is empty is found out by fetching it; a photo has one place in time.
        let others: [FilterRule] = [.empty, .outside, .unattended, .declined]
        #expect(told == FilterRule.allCases.filter { !others.contains($0) })
        #expect(filter.objection(to: all.offer) == nil)
    }

    @Test("every rule has a sentence of its own")
    func sentences() {
        #expect(Set(FilterRule.allCases.map(\.sentence)).count == FilterRule.allCases.count)
    }
}
