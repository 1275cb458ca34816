import Bridge
package import HTTPServer

/// `/events/{id}/cameras`: the cameras of an event, and what its host says about their clocks.
package struct CameraEndpoints: Sendable {
    let store: GalleryStore
    let reader: GalleryReader
    let accounts: Accounts
    let feeds: Feeds

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        return .data(.array(try await reader.cameras(of: event.id).map(\.json)))
    }

    package func change(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        let id = try UploadEndpoints.id(request, "camera", of: "camera")
        let most = GalleryStore.mostShift
        let change = try JSONFields.read(request) { $0.change("shiftSeconds", .integer(-most...most)) }
        let wanted: Int64?
        switch change {
        case .absent:
            let known = try await reader.cameras(of: event.id).first { $0.id == id }
            guard let known else { throw APIError.notFound("camera") }
            return .data(known.json)
        case .cleared: wanted = nil
        case .value(let seconds): wanted = Int64(seconds)
        }
        let camera = try await store.shift(id, by: wanted, in: event.id, of: account.id)
        feeds.anew(event, at: try await store.lastStamp())
        return .data(camera.json)
    }
}

extension EventCamera {
    var json: JSONValue {
        [
            "id": .string(id), "make": .string(make), "model": .string(model), "serial": .string(serial),
            "photos": .integer(Int64(photos)), "firstTime": first.local, "lastTime": last.local,
            "shiftSeconds": .optional(shift, JSONValue.integer),
            "clockAheadSeconds": .optional(clockAhead, JSONValue.integer),
            "correctionSeconds": .optional(correction, JSONValue.integer),
        ]
    }
}
