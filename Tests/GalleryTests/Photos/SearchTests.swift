import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// What is found is what a plain look at every photo finds.
@Suite struct SearchTests {
    struct Known {
        let id: String
        let texts: [String]
        let time: String
    }

    static let letters = Array("aAbBzZ %_\\*?[]^-:\"'.,äÄßéÉøØжЖ💍ñ0129")
    /// A search does not tell them apart.
    static let typed = ["ä": "a", "é": "e", "ø": "o", "ñ": "n"]

    private func text(_ random: inout Seeded, _ counts: ClosedRange<Int>) -> String {
        String(
            (0..<Int.random(in: counts, using: &random)).compactMap { _ in
                Self.letters.randomElement(using: &random)
            })
    }

    /// Scalar by scalar, in one case, and without accents.
    private func folded(_ text: String) -> [String] {
        text.unicodeScalars.map { scalar in
            let lower = scalar.properties.lowercaseMapping
            let one = lower.unicodeScalars.count == 1 ? lower : String(scalar)
            return Self.typed[one] ?? one
        }
    }

    private func holds(_ photo: Known, _ words: String) -> Bool {
        words.matches(of: /"([^"]*)"|"?[^\s"]+|"/).map { String($0.1 ?? $0.0) }.allSatisfy { word in
            let wanted = folded(word)
            return (photo.texts + [photo.time]).contains { text in
                wanted.isEmpty || folded(text).firstRange(of: wanted) != nil
            }
        }
    }

    private func photo(_ number: Int, _ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let bytes = Array("photo \(number)".utf8)
        let minute = number < 10 ? "0\(number)" : "\(number)"
        let place = try await gallery.call(
            "POST", "/uploads/presign",
            [
                "eventId": .string(host.event), "contentType": "image/jpeg",
                "contentLength": .integer(Int64(bytes.count)), "filename": .string("DSC_\(number).JPG"),
                "capturedAt": .string("2026-11-21T20:\(minute):07.000Z"),
            ], token: gallery.token(host))
        let url = try #require(place["putUrl"]?.string, "\(place)")
        let headers = (place["requiredHeaders"]?.members ?? []).map {
            HTTPHeader($0.key, $0.value.string ?? "")
        }
        let put = try await gallery.call(
            "PUT", String(url.dropFirst("http://gallery.example".count)), bytes: bytes, headers: headers)
        #expect(put.status == 200)
    }

    private func known(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws -> [Known] {
        var random = Seeded(5)
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos?limit=200", token: gallery.token(host))
        var all: [Known] = []
        for photo in try #require(list["photos"]?.array) {
            let id = try #require(photo["id"]?.string)
            let caption = text(&random, 0...12)
            let tag = text(&random, 1...5) + "t"
            let changed = try await gallery.call(
                "PATCH", "/photos/\(id)", ["caption": .string(caption), "tags": [.string(tag)]],
                token: gallery.token(host))
            #expect(changed.status == 200, "\(changed)")
            let time = try #require(photo["capturedAt"]?.string).prefix(16).replacing("T", with: " ")
            all.append(
                Known(
                    id: id,
                    texts: [caption, try #require(photo["filename"]?.string), tag, "Test"],
                    time: String(time)))
        }
        return all
    }

    @Test(
        "whatever signs and letters are looked for, in whatever case, the right photos are found in their order"
    )
    func everything() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        for number in 10..<50 { try await photo(number, gallery, host) }
        await gallery.hear()
        try await gallery.work()
        let all = try await known(gallery, host)
        #expect(all.count == 40)
        var random = Seeded(6)
        var found = 0
        let fixed = [
            "", "20:1", "2026-11-21 20:3", "\"11-21 20:3\"", "20:3 \"11-21\" dsc", "\"20:3 test\"", "dsc_1",
            "DSC_4", "jpg", "test", "nothing at all", "%", "_", "\\",
            "[", "*",
        ]
        for words in fixed + (0..<300).map({ _ in text(&random, 1...3) }) {
            let answer = try await gallery.call(
                "GET", "/events/\(host.event)/photos?limit=200&q=\(PercentEncoding.encoded(words))",
                token: gallery.token(host))
            let ids = try #require(answer["photos"]?.array, "\(answer)").compactMap { $0["id"]?.string }
            #expect(ids == all.filter { holds($0, words) }.map(\.id), "'\(words)'")
            found += ids.count
        }
        #expect(found > 500, "something was found")
    }

    @Test(
        "a caption is found by its words, whatever letter they begin with, in any order and without accents")
    func itself() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        try await photo(10, gallery, host)
        await gallery.hear()
        try await gallery.work()
        let list = try await gallery.call("GET", "/e/\(host.slug)/photos")
        let id = try #require(list["photos"]?.array?.first?["id"]?.string)
        _ = try await gallery.call(
            "PATCH", "/photos/\(id)", ["caption": "Élise und die Ärzte"], token: gallery.token(host))
        for words in [
            "Élise", "élise", "ÉLISE", "Ärzte", "die ä", "ÄRZTE", "ärzte élise", "dsc  ärzte", "\"die ä\"",
            "élise \"und die\"",
            "2026 ärzte", "elise", "ARZTE", "\"elise und die a\"", "élisé",
        ] {
            let answer = try await gallery.call(
                "GET", "/e/\(host.slug)/photos?q=\(PercentEncoding.encoded(words))")
            #expect(answer["photos"]?.array?.count == 1, "'\(words)'")
        }
    }
}
