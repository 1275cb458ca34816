import TestSupport
import Testing

@testable import Gallery

/// What a link carries.
@Suite struct ArchiveWishTests {
    @Test("a wish comes out of its text as it went in", arguments: ArchiveWish.Size.allCases)
    func roundTrip(size: ArchiveWish.Size) {
        for selection: ArchiveWish.Selection in [
            .everything(last: 0), .everything(last: 50_000), .everything(last: .max), .some([1]),
            .some([1, 2, 127, 128, 129, 16_384, 3_000_000_000]), .some(Array(1...1000)),
            .section(album: "11111111-2222-4333-8444-5555555555ff", last: 50_000),
        ] {
            let wish = ArchiveWish(size, selection)
            #expect(ArchiveWish(text: wish.text) == wish)
        }
    }

    @Test("a thousand photos among a million fit into an address that servers on the way take")
    func length() {
        let wish = ArchiveWish(.original, .some((1...1000).map { $0 * 1000 }))
        #expect(wish.text.utf8.count < 4000)
    }

    @Test(
        "what no wish would have written is none",
        arguments: ["", "A", "AA", "/w", "CAE", "AQ", "AgGA", "AgD_"])
    func nonsense(text: String) { #expect(ArchiveWish(text: text) == nil) }

    @Test("any bytes are a wish that has that text, or none", arguments: Cases.seeds(full: 300))
    func random(seed: UInt64) {
        var random = Seeded(seed)
        let text = String(
            (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                "ABCgwQ0189_-".randomElement(using: &random) ?? "A"
            })
        guard let wish = ArchiveWish(text: text) else { return }
        #expect(ArchiveWish(text: wish.text) == wish)
    }
}
