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
}

extension Album {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "eventId": .string(event), "name": .string(name), "order": .integer(order),
            "photos": .integer(Int64(photos)),
        ]
    }
}
