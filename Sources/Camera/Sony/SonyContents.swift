package import Bridge
package import PTP

/// What lies on the card of a Sony that lists it beside its memory (0x923C), as far as it has been listed: what each file
/// is called in this connection.
///
/// A list comes in pages, the oldest shot first, each behind the time of the last one. Shots of one second may stand on
/// both sides of a page's end, so the next page begins with that second again, and what is known is passed over.
package struct SonyContents: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package var slot: UInt32
        package var content: UInt32
        package var rating: Int32
        package var isProtected: Bool
        package var createdLocal: UInt64
        package var file: SonyContentList.File
    }

    /// What comes behind a page.
    package enum Next: Equatable, Sendable {
        case page(after: UInt64)
        case nothing
        /// The body does not say how the list goes on: more shots of one moment than a page has.
        case unknown
    }

    package private(set) var entries: [PhotoReference: Entry] = [:]
    /// When the body made its lists, by slot.
    package private(set) var dataTimes: [UInt32: UInt64] = [:]
    private var newest: [UInt32: UInt64] = [:]

    /// "Up to 100."
    package static let page: UInt32 = 100

    package init() {}

    /// Whether this page is of another list than the last one: everything in the slot may be called otherwise now.
    package func isOfAnotherList(_ page: SonyContentList) -> Bool {
        dataTimes[page.slot].map { $0 != page.dataTime } ?? false
    }

    /// The slot is listed from its beginning.
    package mutating func forget(_ slot: UInt32) {
        entries = entries.filter { $0.value.slot != slot }
        newest[slot] = nil
    }

    /// Its card has been taken out.
    package mutating func cardIsOut(of slot: UInt32) {
        forget(slot)
        dataTimes[slot] = nil
    }

    /// This page's list counts from now on.
    package mutating func startOver(with page: SonyContentList) {
        forget(page.slot)
        dataTimes[page.slot] = page.dataTime
    }

    /// What is called otherwise than before, or was not there, in the order of the card.
    package func news(since former: SonyContents) -> [PhotoReference] {
        entries.filter { former.entries[$0.key]?.file != $0.value.file }
            .sorted {
                ($0.value.createdLocal, $0.value.file.path) < ($1.value.createdLocal, $1.value.file.path)
            }
            .map(\.key)
    }

    /// A page that was asked for behind `after`.
    package mutating func add(_ page: SonyContentList, after: UInt64) -> Next {
        dataTimes[page.slot] = page.dataTime
        for content in page.contents where !content.isPlaceholder {
            for file in content.files {
                let reference = Self.reference(page.slot, content.id, file.id)
                entries[reference] = Entry(
                    slot: page.slot, content: content.id, rating: content.rating,
                    isProtected: content.isProtected, createdLocal: content.createdLocal, file: file)
            }
        }
        let last = page.contents.map(\.created).max()
        if let last { newest[page.slot] = max(last, newest[page.slot] ?? 0) }
        guard page.contents.count >= Int(Self.page), let last else { return .nothing }
        let next = last == 0 ? 0 : last - 1
        return next > after ? .page(after: next) : .unknown
    }

    /// Where what is new begins.
    package func end(of slot: UInt32) -> UInt64 {
        newest[slot].map { $0 == 0 ? 0 : $0 - 1 } ?? 0
    }

    package static func reference(_ slot: UInt32, _ content: UInt32, _ file: UInt16) -> PhotoReference {
        PhotoReference("slot \(slot) content \(content) file \(file)")
    }
}

extension SonyContents.Entry {
    /// As a path says it, without what stands before DCIM: the same as in a list by the standard.
    package var folders: [String] {
        var parts = file.path.split(separator: "/").map(String.init)
        if let drive = parts.first, drive.hasSuffix(":") { parts.removeFirst() }
        return Array(parts.dropLast())
    }

    package var name: String { file.path.split(separator: "/").last.map(String.init) ?? "" }

    /// As ObjectInfo would say it.
    package var captureDate: String {
        // A date that is none is as good as none.
        guard createdLocal > 0, createdLocal < Self.latest else { return "" }
        return DateTime(secondsSince1970: Int64(createdLocal / 1000)).description
    }

    /// The year 9999.
    private static let latest: UInt64 = 253_402_300_800_000

    /// The 32 bytes that are this file's for ever; nothing where the body says none.
    package var stableID: String? {
        guard file.umid.contains(where: { $0 != 0 }) else { return nil }
        return file.umid.map { Hex.digits(UInt64($0), width: 2) }.joined()
    }

    /// Whether it is the photo that was offered so. A file that is still being written may have grown.
    package func `is`(_ identity: PhotoIdentity) -> Bool {
        (name, folders, captureDate) == (identity.name, identity.folders, identity.captureDate)
    }

    /// Whether another list means the same file.
    package func isSameFile(as other: SonyContents.Entry) -> Bool {
        (file.path, file.umid, createdLocal) == (other.file.path, other.file.umid, other.createdLocal)
    }

    /// Slot and file in one word, as 0x923D and 0x923E take them.
    package var fileWord: UInt32 { slot << 24 | UInt32(file.id) }
}
