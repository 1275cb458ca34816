import Digest
import Imaging
import Web

/// The blurs that stand in a page for the pictures that are seen first, until these come: a class for each photo, since a strict
/// policy forbids styles on elements.
struct PlaceholderSheet {
    /// What a phone shows at once, and some more.
    static let most = 11

    let sheet: OwnSheet?

    init(_ photos: [PagePhoto]) {
        let rules = photos.prefix(Self.most).enumerated().compactMap { index, photo in
            photo.placeholder.map { ".\(Self.name(index)){--b:url(\($0.url))}" }
        }
        sheet = rules.isEmpty ? nil : OwnSheet(rules.joined())
    }

    /// Of the photo with that number on the page.
    static func name(_ index: Int) -> String { "b\(index)" }
}

extension Placeholder {
    /// Without padding, as its size is a multiple of three.
    var text: String { Base64.text(pixels) }

    /// As an image of its own; `tile.js` makes the same.
    var url: String { "data:image/bmp;base64,\(Self.bitmapHead)\(text)" }

    /// Of a bitmap with 24 bits a pixel, the shortest there is (BITMAPFILEHEADER and BITMAPCOREHEADER), with a byte behind it that
    /// makes its length a multiple of three.
    static let bitmapHead: String = {
        func number(_ value: Int, bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let length = 27
        let file = [length + size, 0, length].flatMap { number($0, bytes: 4) }
        let picture = number(12, bytes: 4) + [edge, edge, 1, 24].flatMap { number($0, bytes: 2) }
        return Base64.text(Array("BM".utf8) + file + picture + [0])
    }()
}
