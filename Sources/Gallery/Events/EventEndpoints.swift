import Basics
package import HTTPServer
import Web

/// `/events`: what a host makes, changes and deletes.
package struct EventEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let accounts: Accounts
    let door: GuestDoor
    let settings: GallerySettings

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let events = try await reader { try $0.events(of: account.id) }
        return .data(.array(events.map { $0.json(publicURL: settings.publicURL) }))
    }

    package func make(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let (wish, pin) = try await wish(request, isNew: true)
        let event = try await store { try $0.makeEvent(wish, for: account.id) }
        return .data(json(event, pin), status: 201)
    }

    package func show(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
        var response = Response.data(event.json(publicURL: settings.publicURL))
        // A picture on the host's page cannot say who wants it.
        if let cookie = accounts.hostCookie(for: request, isSecure: settings.isSecure) {
            response.headers.append(cookie)
        }
        return response
    }

    package func change(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        // The owner is checked first: an error about the fields must not tell others that the event exists.
        _ = try await reader { try $0.event(id, of: account.id) }
        let (wish, pin) = try await wish(request, isNew: false)
        let event = try await store { try $0.changeEvent(id, of: account.id, wish) }
        return .data(json(event, pin))
    }

    /// POST /events/{id}/key: with another key, guests who came in by the old one are out.
    package func renewKey(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        guard let event = try await store({ try $0.renewKey(of: id, by: account.id) }) else {
            throw APIError.notFound("event")
        }
        return .data(json(event))
    }

    /// GET /events/{id}/qr.svg: the one that opens.
    package func qrCode(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
        return .text(
            200, qrSVG(event.entryURL(settings.publicURL)), type: "image/svg+xml",
            headers: [
                HTTPHeader("Cache-Control", "no-store"), HTTPHeader("X-Content-Type-Options", "nosniff"),
            ])
    }

    /// A PIN that was made here is told this once: only its hash is kept.
    private func json(_ event: Event, _ pin: String? = nil) -> JSONValue {
        guard let pin, let members = event.json(publicURL: settings.publicURL).members else {
            return event.json(publicURL: settings.publicURL)
        }
        return .object(members + [("pin", .string(pin))])
    }

    package func delete(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        guard try await store({ try $0.deleteEvent(id, of: account.id) }) else {
            throw APIError.notFound("event")
        }
        return Response(status: 204)
    }

    /// What is wished for, and the PIN where it was left to us.
    private func wish(_ request: Request, isNew: Bool) async throws -> (EventWish, String?) {
        var pin: FieldChange<PINWish> = .absent
        var wish = try JSONFields.read(request) { fields in
            var wish = EventWish()
            if isNew {
                wish.name = fields.required("name", .text(1...200))
                wish.slug = fields.optional("slug", EventSlug.rule)
            } else {
                wish.name = fields.replacement("name", .text(1...200)).given
                wish.slug = fields.replacement("slug", EventSlug.rule).given
            }
            wish.startsAt = fields.change("startsAt", .time).wish
            wish.expiresAt = fields.change("expiresAt", .time).wish
            wish.allowsOriginals = fields.replacement("allowsOriginals", .bool).given
            wish.allowsHearts = fields.replacement("allowsHearts", .bool).given
            wish.allowsComments = fields.replacement("allowsComments", .bool).given
            wish.timeZone = fields.change("timeZone", .timeZone).wish
            wish.look = LookWish(&fields)
            wish.guestUploads = GuestUploadWish(&fields)
            pin = fields.change("pin", PINWish.rule)
            return wish
        }
        if case .some(.some(let name)) = wish.timeZone { try check(name) }
        var made: String?
        switch pin {
        case .absent: break
        case .cleared, .value(.none): wish.pinHash = .some(nil)
        case .value(.digits(let pin)): wish.pinHash = .some(try await door.hash(pin: pin))
        case .value(.any):
            let pin = GuestDoor.makePIN(random: store.random)
            wish.pinHash = .some(try await door.hash(pin: pin))
            made = pin
        }
        return (wish, made)
    }
}

/// What a host may say of a PIN: the digits, `true` for six that are made here, or `false` for none.
private enum PINWish: Equatable, Sendable {
    case none
    case any
    case digits(String)

    static let rule = FieldRule<PINWish>(PINWish.none) { (json) throws(Breach) in
        if let wants = json.bool { return wants ? .any : .none }
        return .digits(try GuestDoor.pin.read(json))
    }
}

extension EventEndpoints {
    /// A name may be a good one, and mean nothing here.
    private func check(_ name: ZoneName) throws {
        do throws(TimeZones.Unknown) {
            _ = try store.zones.zone(name)
        } catch {
            throw APIError(.conflict, "\(error)", fields: [("timeZone", ["is not known here: \(error)"])])
        }
    }
}

extension FieldChange {
    var given: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    var wish: Value?? {
        switch self {
        case .absent: nil
        case .cleared: .some(nil)
        case .value(let value): .some(value)
        }
    }
}
