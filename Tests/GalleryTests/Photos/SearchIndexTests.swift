import Basics
import Database
import Digest
import TestSupport
import Testing

@testable import Gallery

/// Whatever has happened to photos and to the blocks that a search looks through, what is found is what a plain look at every
/// photo finds.
@Suite struct SearchIndexTests {
    /// Words of many scripts, so that texts have much in common.
    static let words = [
        "kiss", "Cake", "GARDEN", "Straße", "Ärzte", "E\u{301}lise", "Σίσυφος", "Привет", "งานแต่งงาน", "結婚式",
        "新郎新婦",
        "婚礼", "ケーキ", "💍", "👩‍❤️‍👨", "100%", "_", "\"", "'", "*", "[a]", "\\", "\u{1}", "\u{7F}", "\n", "-", "OR",
    ]

    struct Ground {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        var random: Seeded
        var photos = 0

        init(seed: UInt64) async throws {
            gallery = try GalleryGround()
            host = try await gallery.host()
            random = Seeded(seed)
        }

        mutating func some(_ counts: ClosedRange<Int>) -> String {
            (0..<Int.random(in: counts, using: &random)).map { _ in
                (words.randomElement(using: &random) ?? "")
                    + (Bool.random(using: &random) ? " " : "")
            }.joined()
        }

        mutating func add(_ count: Int) async throws {
            for _ in 0..<count {
                photos += 1
                try await gallery.store.putSearched(
                    host, number: photos, caption: some(0...4),
                    minute: Int.random(in: 0...300, using: &random),
                    rating: Int.random(in: 0...5, using: &random), isHidden: photos % 5 == 0)
            }
        }

        func all(_ filter: PhotoFilter = PhotoFilter()) async throws -> [Photo] {
            var filter = filter
            (filter.text, filter.limit, filter.behind) = ("", 10_000, nil)
            let wanted = filter
            return try await gallery.ground.database.reader { [host] in try $0.photos(of: host.event, wanted)
            }
        }

        /// Page by page.
        func found(_ filter: PhotoFilter) async throws -> [Int64] {
            var filter = filter
            var found: [Int64] = []
            while true {
                let wanted = filter
                let page = try await gallery.ground.database.reader { [host] in
                    try $0.photos(of: host.event, wanted)
                }
                found += page.map(\.sequence)
                guard page.count == filter.limit, let last = page.last else { return found }
                filter.behind = last.place
            }
        }

        /// As a person would say what is to be found.
        static func holds(_ photo: Photo, _ words: String) -> Bool {
            let time = photo.shownAt.map {
                String(CivilTime.rfc3339(milliseconds: $0.milliseconds).prefix(16)).replacing("T", with: " ")
            }
            let texts = [photo.caption, photo.filename, photo.camera, time].compactMap(\.self) + photo.tags
            return words.matches(of: /"([^"]*)"|"?[^\s"]+|"/).map { plain(String($0.1 ?? $0.0)) }.allSatisfy {
                wanted in
                wanted.isEmpty || texts.contains { plain($0).firstRange(of: wanted) != nil }
            }
        }

        private static func plain(_ text: String) -> [Unicode.Scalar] {
            // The accents that there are in the words above, and what else is folded of them.
            let typed = [
                "e\u{301}": "e", "E\u{301}": "E", "\u{C4}": "A", "\u{3AF}": "\u{3B9}", "\u{38A}": "\u{399}",
                "ß": "ss", "ς": "σ",
            ]
            var text = String(String.UnicodeScalarView(text.unicodeScalars))
            for (part, whole) in typed { text = replacing(text, part, whole) }
            return Array(text.lowercased().unicodeScalars)
        }

        /// Character by character of the list of scalars: "e" with an accent is one character of a String.
        private static func replacing(_ text: String, _ part: String, _ whole: String) -> String {
            var left = Array(text.unicodeScalars)[...]
            let part = Array(part.unicodeScalars)
            var made = String.UnicodeScalarView()
            while let first = left.first {
                if left.starts(with: part) {
                    made.append(contentsOf: whole.unicodeScalars)
                    left = left.dropFirst(part.count)
                } else {
                    made.append(first)
                    left = left.dropFirst()
                }
            }
            return String(made)
        }

        /// A part of some photo's text, or words that may be nowhere.
        mutating func question(_ photos: [Photo]) -> String {
            let texts = photos.flatMap { [$0.caption, $0.filename ?? ""] + $0.tags }.filter { !$0.isEmpty }
            guard Int.random(in: 0..<4, using: &random) > 0, let text = texts.randomElement(using: &random)
            else { return some(1...2) + "z" }
            let characters = Array(text)
            let start = Int.random(in: 0..<characters.count, using: &random)
            let most = min(20, characters.count - start)
            let part = String(characters[start..<start + Int.random(in: 1...most, using: &random)])
            return Bool.random(using: &random) ? part.uppercased() : part
        }

        mutating func compare(_ count: Int) async throws -> Int {
            var found = 0
            let known = try await all(Self.everything)
            for _ in 0..<count {
                var filter = PhotoFilter()
                filter.text = question(known)
                filter.rating = Bool.random(using: &random) ? 0 : Int.random(in: 1...5, using: &random)
                filter.showsHidden = Bool.random(using: &random)
                filter.limit = [1, 3, 10, 200].randomElement(using: &random) ?? 1
                let wanted = try await all(filter).filter { Self.holds($0, filter.text) }.map(\.sequence)
                let answer = try await self.found(filter)
                #expect(answer == wanted, "'\(filter.text)' \(filter)")
                found += answer.count
            }
            return found
        }

        static var everything: PhotoFilter {
            var filter = PhotoFilter()
            filter.showsHidden = true
            return filter
        }

        /// One of the things that happen to photos.
        mutating func change() async throws {
            let known = try await all(Self.everything)
            guard let photo = known.randomElement(using: &random) else { return }
            var wish = PhotoWish()
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try await add(Int.random(in: 1...40, using: &random))
            case 1: wish.caption = some(0...4)
            case 2: wish.tags = [some(1...1), some(1...2)]
            case 3: wish.rating = Int.random(in: 0...5, using: &random)
            case 4: wish.isHidden = !photo.isHidden
            case 5: _ = try await gallery.store.deletePhoto(photo.id, of: host.account)
            case 6:
                try await gallery.store.moveByHand(
                    host.event, minutes: Int.random(in: -90...90, using: &random))
            default: _ = try await gallery.store.indexWaiting(fewest: 1)
            }
            if wish != PhotoWish() {
                _ = try await gallery.store.changePhoto(photo.id, of: host.account, wish)
            }
        }
    }

    @Test(
        "of photos in every script, after whatever was done to them, the right ones are found",
        arguments: Cases.galleries(full: 60))
    func everything(seed: UInt64) async throws {
        var ground = try await Ground(seed: seed)
        try await ground.add(150)
        var found = try await ground.compare(40)
        for _ in 0..<30 {
            try await ground.change()
            found += try await ground.compare(5)
        }
        while try await ground.gallery.store.indexWaiting(fewest: 1) {}
        #expect(try await ground.gallery.store.number("SELECT count(*) FROM photos_to_index") == 0)
        found += try await ground.compare(60)
        #expect(found > 2000, "something was found")
    }

    @Test("a block that is made anew is another than the one that a search has read before")
    func madeAnew() async throws {
        var ground = try await Ground(seed: 22)
        try await ground.add(40)
        func found(_ text: String) async throws -> Int {
            var filter = Ground.everything
            filter.text = text
            return try await ground.found(filter).count
        }
        for (text, before) in [("earlier", "nothing"), ("later", "earlier")] {
            for photo in try await ground.all(Ground.everything) {
                var wish = PhotoWish()
                wish.caption = "\(text) 1"
                _ = try await ground.gallery.store.changePhoto(photo.id, of: ground.host.account, wish)
            }
            while try await ground.gallery.store.indexWaiting(fewest: 1) {}
            #expect(try await found(text) == 40)
            #expect(try await found(before) == 0)
            // Both have this.
            #expect(try await found("er 1") == 40)
        }
    }

    @Test(
        "what a search has read of a server's blocks is not read again",
        .enabled(if: PostgresServer.isWanted, "a file's are read from memory anyway"))
    func readOnce() async throws {
        var ground = try await Ground(seed: 23)
        try await ground.add(100)
        while try await ground.gallery.store.indexWaiting(fewest: 1) {}
        var filter = Ground.everything
        filter.text = "dsc"
        #expect(try await ground.found(filter).count == 100)
        try await ground.gallery.store.emptyBlocks()
        #expect(try await ground.found(filter).count == 100)
    }

    @Test("blocks that were damaged where they are kept hide no photo")
    func damage() async throws {
        var ground = try await Ground(seed: 20)
        try await ground.add(100)
        while try await ground.gallery.store.indexWaiting(fewest: 1) {}
        try await ground.gallery.store.damageBlocks()
        _ = try await ground.compare(60)
    }

    @Test("photos that come and change one after the other soon have their blocks, and few wait")
    func waiting() async throws {
        var ground = try await Ground(seed: 21)
        try await ground.add(400)
        let count = "SELECT count(*) FROM photos_to_index"
        #expect(try await ground.gallery.store.number(count) == 400)
        let known = try await ground.all(Ground.everything)
        for photo in known.prefix(150) {
            var wish = PhotoWish()
            wish.caption = "now \(photo.sequence)"
            _ = try await ground.gallery.store.changePhoto(photo.id, of: ground.host.account, wish)
        }
        #expect(try await ground.gallery.store.number(count) < GalleryStore.mostWaiting + 32)
        _ = try await ground.compare(60)
    }

    @Test("of an event that was deleted no block is left")
    func deleted() async throws {
        var ground = try await Ground(seed: 23)
        try await ground.add(100)
        while try await ground.gallery.store.indexWaiting(fewest: 1) {}
        #expect(try await ground.gallery.store.number("SELECT count(*) FROM search_blocks") == 4)
        #expect(try await ground.gallery.store.deleteEvent(ground.host.event, of: ground.host.account))
        while try await ground.gallery.store.indexWaiting(fewest: 1) {}
        #expect(try await ground.gallery.store.number("SELECT count(*) FROM search_blocks") == 0)
        #expect(try await ground.gallery.store.number("SELECT count(*) FROM photos_to_index") == 0)
    }
}

extension GalleryStore {
    /// A photo with these texts, as processing makes one; nothing is told of it.
    fileprivate func putSearched(
        _ host: GalleryGround.Host, number: Int, caption: String, minute: Int, rating: Int, isHidden: Bool
    ) throws {
        let id = try putPhoto(host.event, owner: host.account, number: number)
        let moment = wall.wallNow.milliseconds + Int64(minute) * 60_000
        try database.run(
            """
            UPDATE photos SET caption = ?, filename = ?, camera = ?, rating = ?, hidden = ?, captured_at = ?, shown_at = ?
                WHERE id = ?
            """, caption, "DSC_\(number).JPG", number % 3 == 0 ? nil : "Nikon Z \(number % 9)", rating,
            isHidden,
            number % 7 == 0 ? nil : moment, number % 7 == 0 ? nil : moment + 3_600_000, id)
    }

    /// As by another program.
    fileprivate func moveByHand(_ event: String, minutes: Int) throws {
        try database.run(
            """
            UPDATE photos SET captured_at = captured_at + ?1, shown_at = shown_at + ?1
                WHERE event_id = ?2 AND captured_at IS NOT NULL AND sequence % 3 = 0
            """, minutes * 60_000, event)
    }

    fileprivate func emptyBlocks() throws { try database.run("UPDATE search_records SET records = ''") }

    fileprivate func damageBlocks() throws {
        let records = try database.all("SELECT block_id, records FROM search_records") { row in
            (id: try row.get("block_id", as: Int64.self), bytes: try row.get("records", as: [UInt8].self))
        }
        for (id, bytes) in records {
            // The length of the first text.
            let damaged = [UInt8](repeating: 0x7F, count: 4) + bytes.dropFirst(4)
            try database.run("UPDATE search_records SET records = ? WHERE block_id = ?", damaged, id)
        }
    }
}
