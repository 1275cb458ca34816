import Basics
import Bridge
import GalleryCopy
import Store
import Upload

/// Which photos an operator means, and what is known of them: by the ledger, and by the copy of what galleries have from
/// others.
struct PhotoFinder {
    struct Photo: Equatable {
        let named: PhotoEditRequest.Named
        let label: String
    }

    private let reader: LedgerReader
    private let copy: CopyDatabase?
    private let event: BridgeEvent?

    init(_ home: Home, event: String?) throws {
        reader = try home.reader()
        copy = try home.readGalleryCopy()
        self.event = try event.map { [reader] in try reader.requireEvent($0) }
    }

    func photo(_ word: String) throws -> Photo {
        let ids = try originals(try reader.photos(meant: word, in: event?.id))
        if let first = ids.first {
            guard ids.count == 1 else {
                throw CommandRouter.Refused(
                    description:
                        "'\(word)' may be \(ids.count) photos: name one by its number in 'tetherline captures': "
                        + ids.prefix(10).map(\.description).joined(separator: ", ")
                        + (ids.count > 10 ? ", …" : ""))
            }
            return Photo(named: .capture(first), label: try reader.capture(first)?.name ?? word)
        }
        let found = try (copy?.places() ?? []).flatMap { place in
            try (copy?.photos(meant: word, at: place.id, limit: 2) ?? []).map { (place, $0) }
        }
        if let (place, record) = found.first {
            guard found.count == 1 else {
                throw CommandRouter.Refused(
                    description:
                        "'\(word)' may be several photos at the gallery: name one by the gallery's id: "
                        + found.map(\.1.id).joined(separator: ", "))
            }
            return Photo(
                named: .record(record.id, server: place.server, event: place.event),
                label: record.photo?.fileName ?? record.id)
        }
        throw NothingThere(
            description: "no photo '\(word)' is known here; 'tetherline captures' lists those of this home.")
    }

    /// The same bytes once more are the same photo at a gallery.
    private func originals(_ ids: [CaptureID]) throws -> [CaptureID] {
        var originals: [CaptureID] = []
        for id in ids {
            let original = try reader.capture(id)?.duplicateOf ?? id
            if !originals.contains(original) { originals.append(original) }
        }
        return originals
    }

    // MARK: What is known

    /// A photo as one gallery has it, with what waits here.
    struct View {
        let label: String
        let server: String
        let record: String?
        let photo: GalleryRecord.Photo
        let albums: [String]
        let waiting: Int

        var json: JSONValue {
            [
                "photo": .string(label), "server": .string(server), "id": .optional(record, JSONValue.string),
                "caption": .string(photo.caption), "rating": .integer(Int64(photo.rating)),
                "tags": .array(photo.tags.map(JSONValue.string)), "hidden": .bool(photo.isHidden),
                "albums": .array(albums.map(JSONValue.string)), "unsent": .integer(Int64(waiting)),
            ]
        }

        var lines: [String] {
            let stars = photo.rating == 0 ? "no rating" : String(repeating: "★", count: photo.rating)
            var facts = [stars]
            if photo.isHidden { facts.append("hidden") }
            if !photo.tags.isEmpty { facts.append("tags \(photo.tags.joined(separator: ", "))") }
            if !albums.isEmpty { facts.append("in \(albums.joined(separator: ", "))") }
            if waiting > 0 { facts.append("\(waiting) not sent yet") }
            let caption = photo.caption.isEmpty ? [] : ["  \(photo.caption)"]
            return ["\(label) at \(server)  \(facts.joined(separator: "; "))"] + caption
        }
    }

    func views(of photo: Photo) throws -> [View] {
        guard let copy else { return [] }
        return try PhotoEditRequest.places(of: photo.named, in: reader).compactMap { place in
            guard let known = try copy.place(place.server, event: place.event) else { return nil }
            return try view(photo.label, place, known, copy)
        }
    }

    private func view(
        _ label: String, _ place: PhotoEditRequest.Place, _ known: CopyPlace, _ copy: CopyDatabase
    ) throws -> View? {
        guard let (photo, waiting) = try copy.seen(place.capture, record: place.record, at: known) else {
            return nil
        }
        let albums = try photo.albums.map { id in
            guard case .album(let album) = try copy.merge(.album, id, at: known.id).content else { return id }
            return album.name
        }
        return View(
            label: label, server: known.server, record: place.record, photo: photo, albums: albums,
            waiting: waiting)
    }
}

extension LedgerReader.Entry {
    /// Without its folders.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
