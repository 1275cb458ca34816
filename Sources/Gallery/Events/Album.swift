import Basics
import HTTPServer

/// Some photos of an event, under a name. Clients that sync make them as well.
package struct Album: Equatable, Sendable {
    package let id: String
    package let event: String
    package let name: String
    package let order: Int64
    /// Those that are not deleted.
    package let photos: Int
}

/// What a host wants of an album; nothing where nothing is said.
struct AlbumWish: Equatable, Sendable {
    var name: String?
    /// How many stand before it.
    var place: Int?
}

/// `/events/{id}/albums`: what a host puts photos into.
struct AlbumEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let accounts: Accounts

    func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let albums = try await reader {
            let event = try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
            return try $0.albums(of: event.id)
        }
        return .data(.array(albums.map(\.json)))
    }

    func make(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        // The owner is checked first: an error about the fields must not tell others that the event exists.
        _ = try await reader { try $0.event(id, of: account.id) }
        let name = try JSONFields.read(request) { $0.required("name", .text(1...200)) }
        return .data(try await store { try $0.makeAlbum(name, in: id, of: account.id) }.json, status: 201)
    }

    func change(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let (event, id) = try Self.ids(request)
        try await reader { try $0.requireAlbum(id, in: event, of: account.id) }
        let wish = try JSONFields.read(request) { fields in
            AlbumWish(
                name: fields.replacement("name", .text(1...200)).given,
                place: fields.replacement("place", .integer(0...GalleryStore.mostAlbums - 1)).given)
        }
        let album = try await store { try $0.changeAlbum(id, in: event, of: account.id, wish) }
        return .data(album.json)
    }

    func delete(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let (event, id) = try Self.ids(request)
        try await store { try $0.deleteAlbum(id, in: event, of: account.id) }
        return Response(status: 204)
    }

    private static func ids(_ request: Request) throws -> (event: String, album: String) {
        (
            try UploadEndpoints.id(request, "id", of: "event"),
            try UploadEndpoints.id(request, "albumId", of: "album")
        )
    }
}

extension Album {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "eventId": .string(event), "name": .string(name), "order": .integer(order),
            "photos": .integer(Int64(photos)),
        ]
    }
}
