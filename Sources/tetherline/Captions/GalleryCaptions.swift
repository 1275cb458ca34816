import Basics
import Bridge
import Captions
import GalleryCopy
import Store
import Synchronization
import Upload

/// Says captions and keywords to galleries: as edits of the bridge's copy, made before the upload, so that the gallery has
/// them as soon as it has the photo, and a host who was quicker is not overruled.
final class GalleryCaptions: Sendable {
    private let copy: GalleryCopy
    /// The ledger, read for receipts.
    private let database: String
    private let report: @Sendable (String) -> Void
    /// What the operator was told: once, and not of every photo.
    private let told = Mutex<Set<String>>([])

    private static let mostTold = 1000

    init(_ copy: GalleryCopy, database: String, report: @escaping @Sendable (String) -> Void) {
        self.copy = copy
        self.database = database
        self.report = report
    }

    /// A caption that cannot be said keeps no photo from arriving.
    func say(_ caption: Result<PhotoCaption, any Error>, of job: Job, at place: GalleryPlace) async {
        do {
            let caption = try caption.get()
            tell(unknownCodes: caption.unknownCodes)
            guard let edit = PhotoEdit(caption) else { return }
            let server = "\(place.address)"
            let receipt = try CopyKeeper.receipt(
                of: job.capture, at: server, place.event, in: LedgerReader(path: database))
            // Delivered before: what is said of it at the gallery is newer than a template.
            guard receipt == nil else { return }
            let id = try await copy.place(server, event: place.event)
            try await copy.say(edit, of: job.capture, at: id)
        } catch {
            tell("photos go to \(place.address) without their captions: \(error)")
        }
    }

    private func tell(unknownCodes codes: [String]) {
        for code in codes {
            tell("the code '\(Visible(code))' is not in the roster, and stands in captions as it is")
        }
    }

    private func tell(_ sentence: String) {
        let isNew = told.withLock { $0.count < Self.mostTold && $0.insert(sentence).inserted }
        if isNew { report(sentence) }
    }
}

extension PhotoEdit {
    /// What a gallery keeps of a caption, as long as it takes it; nothing where that is nothing.
    init?(_ said: PhotoCaption) {
        self.init()
        let text = said.texts[.caption]?.first ?? ""
        let caption = Self.cut(text, RecordLimits.caption, keeping: ["\n", "\t"])
        if !caption.isEmpty { self.caption = caption }
        for keyword in said.texts[.keywords] ?? [] where addedTags.count < RecordLimits.tags {
            let tag = Self.cut(keyword, RecordLimits.tag, keeping: [])
            if !tag.isEmpty, !addedTags.contains(tag) { addedTags.append(tag) }
        }
        if isEmpty { return nil }
    }

    /// As the gallery counts: in Unicode scalars. No control characters.
    private static func cut(_ text: String, _ most: Int, keeping controls: Set<Unicode.Scalar>) -> String {
        let plain = text.unicodeScalars.lazy.map { scalar -> Unicode.Scalar in
            let isControl =
                scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            return isControl && !controls.contains(scalar) ? " " : scalar
        }
        var scalars = Array(plain.prefix(most))
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
