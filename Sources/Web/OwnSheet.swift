import Digest

/// A style sheet that stands in a page itself, so that what a guest sees first waits for one answer instead of two: over a thin
/// line the second takes a third of a second. The policy lets in this text and no other.
package struct OwnSheet: Equatable, Sendable {
    /// As a policy names it.
    package let source: String
    let element: HTMLText

    package init(_ asset: Asset) { self.init(String(decoding: asset.bytes, as: UTF8.self)) }

    /// Of what the program itself has written: a text that was typed could end the element, and this the program.
    package init(_ text: String) {
        precondition(!text.contains("<"), "a style sheet in a page could end there")
        let hash = SHA256()
        hash.update(Array(text.utf8))
        source = "'sha256-\(Base64.text(hash.finish().bytes))'"
        element = HTMLText(sheet: text)
    }
}
