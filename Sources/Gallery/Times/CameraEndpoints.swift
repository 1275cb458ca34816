import Basics
package import HTTPServer

/// `/events/{id}/cameras`: the cameras of an event, and what its host says about their clocks.
package struct CameraEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let accounts: Accounts

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
        return .data(.array(try await reader { try $0.cameras(of: event.id) }.map(\.json)))
    }

    package func change(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
        let most = GalleryStore.mostShift
        let change = try JSONFields.read(request) { $0.change("shiftSeconds", .integer(-most...most)) }
        let known = try await camera(request.parameters["serial"] ?? "", of: event.id)
        let wanted: Int64?
        switch change {
        case .absent: return .data(known.json)
        case .cleared: wanted = nil
        case .value(let seconds): wanted = Int64(seconds)
        }
        let camera = try await store { try $0.shift(known.id, by: wanted, in: event.id, of: account.id) }
        return .data(camera.json)
    }

    /// By its serial number, as it stands in the photos, or by the id that it has here: not every camera has the one, and two
    /// makers may give the same.
    private func camera(_ name: String, of event: String) async throws -> EventCamera {
        let cameras = try await reader { try $0.cameras(of: event) }
        if let known = cameras.first(where: { $0.id == name.lowercased() }) { return known }
        let named = cameras.filter { !$0.serial.isEmpty && $0.serial == name }
        guard let camera = named.first else { throw APIError.notFound("camera") }
        guard named.count == 1 else {
            throw APIError(
                .conflict, "\(named.count) cameras have the serial number \(name); name one by its id")
        }
        return camera
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
