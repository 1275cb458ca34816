import Basics
import TestSupport
import Testing
import Web

@testable import Gallery

/// Pages of one photo as values.
@Suite(.enabled(if: Tool.isThere("python3"), "python3 is not installed")) struct PhotoPageTests {
    private static let id = "11111111-1111-4111-8111-111111111111"

    private func page(
        _ text: String, width: Int = 6000, height: Int = 4000, isOpen: Bool = true
    ) -> PhotoPage {
        PhotoPage(
            event: PageEvent(
                name: text, slug: "ann-ben", photos: 1, guestURL: "https://photos.example/e/ann-ben",
                isOpen: isOpen),
            photo: PagePhoto(
                id: Self.id, sequence: 1, caption: text,
                // 2026-11-21T20:45:00Z.
                shownAt: Timestamp(milliseconds: 1_795_293_900_000), width: width, height: height,
                thumbWidth: 400, thumbHeight: 267, thumbKey: "a", screenKey: "b"))
    }

    @Test("what a stranger typed stands in the tags as it is", arguments: PageTests.hostile)
    func hostile(text: String) throws {
        let html = page(text).html
        let seen = try HeadReader(html)
        // What no page may have stands for itself by a sign (U+FFFD).
        let shown = text.replacing("\u{0}", with: "\u{FFFD}")
        #expect(seen.tags["og:title"] == shown && seen.tags["og:image:alt"] == shown)
        #expect(seen.tags["og:description"] == "\(shown) · 21 November 2026, 20:45")
        #expect(seen.title == shown)
        #expect(seen.scripts == 1 && seen.pictures == ["/images/b"] && !html.contains("style="))
        let plain = try HeadReader(page("plain").html)
        #expect(seen.links == plain.links && Set(seen.tags.keys) == Set(plain.tags.keys))
        let gone = try HeadReader(PlainPage(.english).noPhoto(of: page(text).event))
        #expect(gone.tags["og:title"] == shown && gone.scripts == 0)
    }

    @Test("a caption of many lines is a title of one, and a short one")
    func long() throws {
        let caption = "First  line\n\nsecond line " + String(repeating: "and more ", count: 100)
        let preview = LinkPreview(of: page(caption).photo, in: page("Wedding").event)
        #expect(preview.title.hasPrefix("First line second line and more") && preview.title.hasSuffix("…"))
        #expect(preview.title.count == 120)
        let bare = LinkPreview(of: page("").photo, in: page("Wedding").event)
        #expect(bare.title == "A photo of Wedding" && bare.picture?.words == "A photo of Wedding")
        #expect(bare.url == "https://photos.example/e/ann-ben/p/\(Self.id)")
        #expect(bare.picture?.url == "https://photos.example/images/b")
    }

    @Test(
        "the picture is said to be as large as the rendition for screens is",
        arguments: [
            (6000, 4000, 2048, 1365), (4000, 6000, 1365, 2048), (1200, 800, 1200, 800), (20000, 3, 2048, 1),
        ])
    func size(width: Int, height: Int, shownWidth: Int, shownHeight: Int) {
        let picture = LinkPreview(
            of: page("a", width: width, height: height).photo, in: page("Wedding").event
        ).picture
        #expect(picture?.width == shownWidth && picture?.height == shownHeight)
    }

    @Test(
        "where there is a tile it is the picture: messengers show none whose file is large",
        arguments: [(6000, 4000, 800, 533), (4000, 6000, 533, 800), (700, 500, 700, 500)])
    func tile(width: Int, height: Int, shownWidth: Int, shownHeight: Int) {
        var photo = page("a", width: width, height: height).photo
        photo.tile = Photo.Tile(key: "t", size: 1, width: shownWidth)
        let picture = LinkPreview(of: photo, in: page("Wedding").event).picture
        #expect(picture?.url == "https://photos.example/images/t")
        #expect(picture?.width == shownWidth && picture?.height == shownHeight)
    }

    @Test("of a panorama the picture is the rendition for screens: its tile is too low for some")
    func panorama() {
        var photo = page("a", width: 12_000, height: 2000).photo
        photo.tile = Photo.Tile(key: "t", size: 1, width: 800)
        let picture = LinkPreview(of: photo, in: page("Wedding").event).picture
        #expect(picture?.url == "https://photos.example/images/b" && picture?.height == 341)
    }

    @Test("of an event that not all may see nothing of the photo is in the tags")
    func closed() throws {
        let event = page("Wedding", isOpen: false).event
        let preview = LinkPreview(of: page("The kiss").photo, in: event)
        #expect(preview == LinkPreview(of: event) && preview.picture == nil && preview.title == "Wedding")
    }
}
