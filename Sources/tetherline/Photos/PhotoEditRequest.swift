import Basics
import Bridge
import GalleryCopy
import Posix
import Store
import Upload

/// An edit of photos on its way to the one who may write: the bridge that runs, or the command itself.
struct PhotoEditRequest {
    static let command = "editPhotos"
    static let mostPhotos = 10_000

    /// A photo as both processes know it.
    enum Named: Equatable {
        case capture(CaptureID)
        /// One that came to the gallery by others.
        case record(String, server: String, event: String)
    }

    /// Where a photo is, or will be.
    struct Place: Equatable {
        let server: String
        let event: String
        let capture: CaptureID?
        /// Nothing before its receipt.
        let record: String?
    }

    let photos: [Named]
    let edit: PhotoEdit
    /// An album by its name, made where there is none.
    let album: String?
    let takesOut: Bool

    // MARK: As a line between processes

    var members: [(key: String, value: JSONValue)] {
        [
            (key: "command", value: .string(Self.command)),
            (key: "photos", value: .array(photos.map(\.json))),
            (key: "edit", value: edit.json), (key: "album", value: .optional(album, JSONValue.string)),
            (key: "takesOut", value: .bool(takesOut)),
        ]
    }

    init(photos: [Named], edit: PhotoEdit, album: String?, takesOut: Bool) {
        self.photos = photos
        self.edit = edit
        self.album = album
        self.takesOut = takesOut
    }

    init(_ request: JSONValue) throws {
        guard let photos = request["photos"]?.array, photos.count <= Self.mostPhotos else {
            throw CommandRouter.Refused(description: "an edit names from 1 to \(Self.mostPhotos) photos")
        }
        self.init(
            photos: try photos.map { try Named($0) }, edit: try PhotoEdit(request["edit"] ?? .null),
            album: request["album"]?.string, takesOut: request["takesOut"]?.bool ?? false)
    }

    // MARK: Doing it

    /// Where a photo of an event is delivered to, as far as galleries go.
    static func places(of photo: Named, in reader: LedgerReader) throws -> [Place] {
        switch photo {
        case .record(let id, let server, let event):
            return [Place(server: server, event: event, capture: nil, record: id)]
        case .capture(let id):
            guard let entry = try reader.capture(id) else { return [] }
            let receipts = try reader.receipts(of: id)
            return try reader.knownDestinations(of: entry.event).compactMap { destination in
                guard destination.kind == .gallery, destination.removedAt == nil else { return nil }
                let place = try GalleryPlace(url: destination.url, ledgerEvent: entry.event)
                let receipt = receipts.last { $0.0 == destination.id }?.1
                return Place(
                    server: "\(place.address)", event: place.event, capture: id, record: receipt?.photoID)
            }
        }
    }

    /// All of it at each gallery, or none there.
    func perform(in copy: GalleryCopy, _ home: Home) async throws -> JSONValue {
        let places = try grouped(by: LedgerReader(path: home.database))
        for place in places {
            let id = try await copy.place(place[0].server, event: place[0].event)
            var edit = edit
            if let album {
                if takesOut {
                    guard let known = try await copy.knownAlbum(named: album, at: id) else {
                        throw CommandRouter.Refused(
                            description: "there is no album '\(album)' at \(place[0].server)")
                    }
                    edit.removedAlbums = [known]
                } else {
                    edit.addedAlbums = [try await copy.album(named: album, at: id)]
                }
            }
            let said = edit
            _ = try await copy.edit(
                place.map { EditWish(.photo, record: $0.record, capture: $0.capture, .photo(said)) }, at: id)
        }
        return ["galleries": .array(places.map { .string($0[0].server) })]
    }

    /// What is to be done at each gallery.
    private func grouped(by reader: LedgerReader) throws -> [[Place]] {
        var groups: [[Place]] = []
        for photo in photos {
            let places = try Self.places(of: photo, in: reader)
            guard !places.isEmpty else {
                throw CommandRouter.Refused(
                    description:
                        "the event of photo \(photo) goes to no gallery, so there is nothing to say this to: "
                        + "'tetherline destination add URL' names one.")
            }
            for place in places {
                let index = groups.firstIndex { $0[0].server == place.server && $0[0].event == place.event }
                if let index { groups[index].append(place) } else { groups.append([place]) }
            }
        }
        return groups
    }
}

extension PhotoEditRequest.Named: CustomStringConvertible {
    var description: String {
        switch self {
        case .capture(let id): "\(id)"
        case .record(let id, _, _): id
        }
    }

    var json: JSONValue {
        switch self {
        case .capture(let id): ["capture": .integer(id.number)]
        case .record(let id, let server, let event):
            ["record": .string(id), "server": .string(server), "event": .string(event)]
        }
    }

    init(_ json: JSONValue) throws {
        if let number = json["capture"]?.integer {
            self = .capture(CaptureID(number))
        } else if let id = json["record"]?.string, let server = json["server"]?.string,
            let event = json["event"]?.string, RecordFields.isID(id)
        {
            self = .record(id, server: server, event: event)
        } else {
            throw CommandRouter.Refused(description: "an edit names a photo that cannot be read")
        }
    }
}
