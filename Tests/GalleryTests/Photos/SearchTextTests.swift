import Basics
import TestSupport
import Testing

@testable import Gallery

/// What reads the same is found, and what a block is written as is what is read of it.
@Suite struct SearchTextTests {
    @Test(
        "what reads the same is the same",
        arguments: [
            ("Straße", "STRASSE"), ("ẞ", "ss"), ("E\u{301}lise", "élise"), ("A\u{308}rzte", "ÄRZTE"),
            ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ПРИВЕТ", "привет"), ("\u{1100}\u{1161}", "가"), ("ﬁn", "FIN"),
            ("𐐀", "𐐨"), ("か\u{3099}", "が"), ("\u{212A}", "k"), ("DSC_1", "dsc_1"), ("И\u{306}", "й"),
        ])
    func same(one: String, other: String) {
        #expect(SearchText.folded(one) == SearchText.folded(other))
    }

    @Test(
        "accents of Latin and Greek are nothing, and letters that keyboards may lack are those typed for them",
        arguments: [
            ("é", "e"), ("ñ", "n"), ("José", "jose"), ("JOSE\u{301}", "josé"), ("Müller", "muller"),
            ("Ångström", "angstrom"), ("\u{212B}ngstro\u{308}m", "angstrom"), ("Łódź", "lodz"),
            ("Nguyễn", "nguyen"), ("Nguye\u{302}\u{303}n", "nguyễn"), ("ƯỚC MƠ", "uoc mo"),
            ("Đặng Thị Ngọc Ánh", "dang thi ngoc anh"), ("Άθήνα", "αθηνα"),
            ("Α\u{301}θη\u{301}να", "ΑΘΗΝΑ"), ("ΐ", "ι"), ("ᾄδω", "αδω"),
            ("Ёлка", "елка"), ("Е\u{308}лка", "ЁЛКА"), ("İstanbul", "istanbul"), ("ISTANBUL", "ıstanbul"),
            ("Ærø", "aero"), ("Ǽ", "ae"), ("Ǿ", "o"), ("Þórður", "thordur"), ("Œuvre", "oeuvre"),
            ("Għarb", "gharb"),
        ])
    func typed(one: String, other: String) {
        #expect(SearchText.folded(one) == SearchText.folded(other))
    }

    @Test(
        "what reads differently is not",
        arguments: [
            ("は", "ば"), ("か", "が"), ("か", "か\u{3099}"), ("й", "и"), ("и\u{306}", "и"), ("ї", "і"),
            ("а\u{301}", "а"), ("ไม้", "ไม"), ("स्ट", "सट"), ("각", "가"), ("\u{5E9}\u{5C1}", "\u{5E9}"),
            ("\u{644}\u{64E}", "\u{644}"), ("é", "i"), ("≠", "="), ("%", "_"), ("1", "１"),
        ])
    func different(one: String, other: String) {
        #expect(SearchText.folded(one) != SearchText.folded(other))
    }

    @Test(
        "a text without case in another script stays as it is",
        arguments: [
            "がギャラリー", "งานแต่งงานไม้", "स्टेशन", "결혼식", "結婚式", "\u{5E9}\u{5C1}\u{5DC}", "\u{645}\u{64F}\u{62F}",
        ])
    func others(text: String) {
        #expect(SearchText.folded(text) == Array(text.utf8))
    }

    @Test("no text reaches into the next, and an empty one is none")
    func separate() {
        let text = SearchText.of(
            caption: "", filename: "A.JPG", tags: ["Church", "both"], camera: "Z 8",
            shown: Timestamp(milliseconds: 1_795_287_543_120))
        let parts = text.split(separator: SearchText.separator).map { String(decoding: $0, as: UTF8.self) }
        #expect(parts == ["a.jpg", "z 8", "2026-11-21 18:59", "church", "both"])
    }

    private static let letters = Array("aAbBz %_\\\"'éßжЖ婚礼が😀\u{1}\u{7F}กำ")

    private func text(_ random: inout Seeded, _ counts: ClosedRange<Int>) -> String {
        String(
            (0..<Int.random(in: counts, using: &random)).map { _ in
                Self.letters.randomElement(using: &random) ?? "a"
            })
    }

    @Test("every part of a text has only words that its block has; a text that is not there has others")
    func words() throws {
        var random = Seeded(9)
        for _ in 0..<200 {
            let text = text(&random, 1...60)
            let record = SearchBlock.Record(
                sequence: 7, place: -3, rating: 3, isHidden: false, text: SearchText.folded(text))
            let known = Set(SearchGrams(event: "e", [record]).words.split(separator: " ").map(String.init))
            let scalars = Array(String(decoding: record.text, as: UTF8.self).unicodeScalars)
            let start = Int.random(in: 0..<scalars.count, using: &random)
            let end = Int.random(in: start + 1...scalars.count, using: &random)
            var part = String.UnicodeScalarView()
            part.append(contentsOf: scalars[start..<end])
            let bytes = Array(String(part).utf8)
            #expect(record.holds(bytes))
            let wanted = SearchGrams.wanted([bytes], rating: 3, showsHidden: false, in: "e")
            #expect(
                !wanted.isEmpty && wanted.count <= 40 && known.isSuperset(of: wanted),
                "\(text): \(String(part))")
            #expect(
                known.isDisjoint(with: SearchGrams.wanted([bytes], rating: 0, showsHidden: true, in: "f")))
        }
        let record = SearchBlock.Record(
            sequence: 7, place: 0, rating: 3, isHidden: true, text: Array("kiss".utf8))
        let known = Set(SearchGrams(event: "e", [record]).words.split(separator: " ").map(String.init))
        for (words, rating, showsHidden) in [
            ("kisses", 0, true), ("q", 0, true), ("kiss", 4, true), ("kiss", 0, false),
        ] {
            let wanted = SearchGrams.wanted(
                [Array(words.utf8)], rating: rating, showsHidden: showsHidden, in: "e")
            #expect(!known.isSuperset(of: wanted), "\(words) \(rating) \(showsHidden)")
        }
    }

    private func records(_ random: inout Seeded) -> [SearchBlock.Record] {
        (1...20).map { number in
            SearchBlock.Record(
                sequence: Int64(number), place: Int64.random(in: Int64.min...Int64.max, using: &random),
                rating: number % 6, isHidden: number % 3 == 0,
                text: SearchText.folded(text(&random, 0...30) + (number == 5 ? "needle" : "")))
        }
    }

    private func inOrder(_ block: SearchBlock?) -> [SearchBlock.Record]? {
        block?.records.sorted { $0.sequence < $1.sequence }
    }

    @Test("a block is read as it was written; of one that is cut or not a block, nothing")
    func bytes() throws {
        var random = Seeded(10)
        let records = records(&random)
        let bytes = SearchBlock(records: records).bytes
        #expect(inOrder(SearchBlock(bytes)) == records)
        #expect(SearchBlock(bytes, holding: Array("needle".utf8))?.records == [records[4]])
        #expect(SearchBlock([])?.records == [])
        for length in [1, 5, 21, bytes.count - 1] { #expect(SearchBlock(Array(bytes.prefix(length))) == nil) }
        #expect(SearchBlock([UInt8](repeating: 0xFF, count: 40)) == nil)
    }

    @Test("a block says how its texts are folded, by a record that nothing finds that can be typed")
    func seal() throws {
        var random = Seeded(12)
        let block = SearchBlock(records: records(&random))
        let read = try #require(SearchBlock(block.bytes))
        #expect(inOrder(read) == block.records)
        let seal = try #require(read.seal)
        #expect(seal == SearchBlock.newestSeal && seal.isHidden && seal.rating == 0)
        #expect(String(validating: seal.text, as: UTF8.self) == nil)
        // One from before there were seals.
        var older = block
        older.seal = nil
        #expect(inOrder(SearchBlock(older.bytes)) == block.records)
        #expect(SearchBlock(older.bytes)?.seal == nil)
        func words(_ block: SearchBlock) -> Set<String> {
            Set(SearchGrams(event: "e", block).words.split(separator: " ").map(String.init))
        }
        let wanted = Set(SearchGrams.ofNewestSeal(in: "e"))
        #expect(wanted.count == 3)
        #expect(words(older).isDisjoint(with: wanted) && words(block) == words(older).union(wanted))
        #expect(wanted.isDisjoint(with: SearchGrams.ofNewestSeal(in: "f")))
    }

    @Test("of a block's best photos no more has to be read than its beginning says", arguments: 1...5)
    func best(stars: Int) throws {
        var random = Seeded(11)
        let records = records(&random)
        let bytes = SearchBlock(records: records).bytes
        let place = SearchBlock.placeOfEnd(stars: stars)
        let end = bytes[place..<place + 3].reduce(0) { $0 << 8 | Int($1) }
        let wanted = records.filter { $0.rating >= stars }
        #expect(inOrder(SearchBlock(bytes, holding: [], stars: stars)) == wanted)
        #expect(inOrder(SearchBlock(Array(bytes.prefix(end)), holding: [], stars: stars)) == wanted)
        #expect(inOrder(SearchBlock(Array(bytes.prefix(end)))) == wanted)
        #expect(SearchBlock(Array(bytes.prefix(end - 1)), holding: [], stars: stars) == nil)
    }

    @Test("a block of an older version, and one that is longer than three bytes say, is read as a whole")
    func withoutEnds() throws {
        // One photo: the length of its text, its sequence, its place, three stars, hidden, and the text.
        let old: [UInt8] =
            [0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 9] + [0, 0, 0, 0, 0, 0, 1, 0] + [3, 1] + Array("ab".utf8)
        let record = SearchBlock.Record(
            sequence: 9, place: 256, rating: 3, isHidden: true, text: Array("ab".utf8))
        #expect(SearchBlock(old)?.records == [record])
        #expect(SearchBlock(old, holding: [], stars: 3)?.records == [record])
        #expect(SearchBlock(old, holding: [], stars: 4)?.records == [])
        let long = SearchBlock.Record(
            sequence: 1, place: 1, rating: 5, isHidden: false, text: [UInt8](repeating: 0x61, count: 17 << 20)
        )
        let bytes = SearchBlock(records: [record, long]).bytes
        #expect(SearchBlock(bytes)?.records.map(\.sequence) == [1, 9])
        #expect(SearchBlock(bytes, holding: [], stars: 5)?.records.map(\.sequence) == [1])
    }

    @Test(
        "blocks come in a list of their names and the times of their latest photos, and are read from the latest on"
    )
    func candidates() {
        let none: [UInt8] = []
        #expect(CandidateBlock.all("").isEmpty && CandidateBlock.all(none, timeline: 1).isEmpty)
        let wanted = [(9, 1_795_287_543_123), (1, 1_795_287_543_123), (2, 0), (3, -5000)].map {
            CandidateBlock(id: $0.0, last: $0.1)
        }
        #expect(CandidateBlock.all("3 -5000 1 1795287543123 2 0 9 1795287543123") == wanted)
        // Each with the transaction that made it.
        let bytes = wanted.reversed().flatMap { block -> [UInt8] in
            [block.id, block.last].flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            } + [0xFE, 0, 1, UInt8(block.id)]
        }
        #expect(
            CandidateBlock.all(bytes, timeline: 7)
                == wanted.map { block in
                    CandidateBlock(
                        id: block.id, last: block.last, transaction: 0xFE00_0100 + UInt32(block.id),
                        timeline: 7)
                })
    }

    @Test("of the blocks that were read, the latest that were asked for are kept, and no more than fit")
    func known() {
        let names = (1...6).map { CandidateBlock(id: $0, last: 0, transaction: 1, timeline: 1) }
        func bytes(_ name: CandidateBlock) -> [UInt8] { [UInt8](repeating: UInt8(name.id), count: 10) }
        let known = KnownBlocks(most: 60)
        for name in names.prefix(3) { known.keep(bytes(name), of: name) }
        #expect(known.find(names.prefix(4)).map(\.bytes) == names.prefix(3).map(bytes) + [nil])
        // The half before is kept, and what is asked for of it is among the latest again.
        known.keep(bytes(names[3]), of: names[3])
        #expect(known.find([names[0]]).map(\.bytes) == [bytes(names[0])])
        for name in names[4...] { known.keep(bytes(name), of: name) }
        #expect(known.find(names.prefix(3)).map(\.bytes) == [bytes(names[0]), nil, nil])
        known.keep([UInt8](repeating: 9, count: 31), of: names[1])
        #expect(known.find(names.prefix(2)).map(\.bytes) == [bytes(names[0]), nil])
        var other = names[0]
        other.transaction = 2
        #expect(known.find([other]).map(\.bytes) == [nil])
        other = names[0]
        other.timeline = 2
        #expect(known.find([other]).map(\.bytes) == [nil])
    }

    @Test("as many blocks are read as it seems to take, and never none")
    func reading() {
        var filter = PhotoFilter()
        filter.limit = 100
        var reading = BlockReading(filter, fewest: 12)
        #expect(reading.count == 12)
        reading.goOn(12, 0)
        #expect(reading.count == 48)
        // One in five had a photo of the page: 88 more are in 440 blocks, and a quarter more of them are read.
        reading.goOn(48, 12)
        #expect(reading.count == 192)
        reading.goOn(192, 100)
        #expect(reading.count == 12)
        #expect(BlockReading(filter, fewest: 32).count == 32)
    }

    @Test("a page has the latest, whatever order they are found in", arguments: 1...20)
    func hits(seed: UInt64) throws {
        var random = Seeded(seed)
        let records = (1...60).map { number in
            SearchBlock.Record(
                sequence: Int64(number), place: Int64.random(in: 1...9, using: &random),
                rating: Int.random(in: 0...5, using: &random), isHidden: Bool.random(using: &random), text: []
            )
        }
        var filter = PhotoFilter()
        filter.limit = Int.random(in: 1...20, using: &random)
        filter.rating = Int.random(in: 0...3, using: &random)
        filter.showsHidden = Bool.random(using: &random)
        filter.behind = Bool.random(using: &random) ? PhotoCursor(Timestamp(milliseconds: 7), 30) : nil
        var hits = SearchHits(filter)
        for record in records.shuffled(using: &random) { hits.insert(record) }
        let wanted = records.filter { record in
            record.rating >= filter.rating && (filter.showsHidden || !record.isHidden)
                && (filter.behind == nil || (record.place, record.sequence) < (7, 30))
        }.sorted { ($0.place, $0.sequence) > ($1.place, $1.sequence) }
        #expect(hits.places.map(\.sequence) == wanted.prefix(filter.limit).map(\.sequence))
    }
}
