import Bridge
package import HTTPServer

/// `/events`: what a host makes, changes and deletes.
package struct EventEndpoints: Sendable {
    let store: GalleryStore
    let reader: GalleryReader
    let accounts: Accounts
    let door: GuestDoor
    let settings: GallerySettings
    let images: ImageIndex
    let feeds: Feeds

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let events = try await reader.events(of: account.id)
        return .data(.array(events.map { $0.json(publicURL: settings.publicURL) }))
    }

    package func make(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let wish = try await wish(request, isNew: true)
        let event = try await store.makeEvent(wish, for: account.id)
        return .data(event.json(publicURL: settings.publicURL), status: 201)
    }

    package func show(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        var response = Response.data(event.json(publicURL: settings.publicURL))
        // A picture on the host's page cannot say who wants it.
        if let pass = door.pass(to: event.door) { response.headers.append(pass) }
        return response
    }

    package func change(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        // Whose it is comes first: nobody learns from a complaint that it is there.
        let old = try await reader.event(id, of: account.id)
        let wish = try await wish(request, isNew: false, old: old)
        let event = try await store.changeEvent(id, of: account.id, wish)
        images.forget()
        if event.pinHash != old.pinHash || event.expiresAt != old.expiresAt { feeds.sendGuestsAway(from: id) }
        return .data(event.json(publicURL: settings.publicURL))
    }

    package func delete(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        guard try await store.deleteEvent(id, of: account.id) else { throw APIError.notFound("event") }
        images.forget()
        feeds.close(id)
        return Response(status: 204)
    }

    private func wish(_ request: Request, isNew: Bool, old: Event? = nil) async throws -> EventWish {
        var pin: FieldChange<String> = .absent
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
            pin = fields.change("pin", GuestDoor.pin)
            let starts = wish.startsAt ?? old?.startsAt
            let expires = wish.expiresAt ?? old?.expiresAt
            if let starts, let expires, expires <= starts {
                fields.refuse("expiresAt", "must be after startsAt")
            }
            return wish
        }
        switch pin {
        case .absent: break
        case .cleared: wish.pinHash = .some(nil)
        case .value(let pin): wish.pinHash = .some(try await door.hash(pin: pin))
        }
        return wish
    }
}

extension FieldChange {
    fileprivate var given: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    fileprivate var wish: Value?? {
        switch self {
        case .absent: nil
        case .cleared: .some(nil)
        case .value(let value): .some(value)
        }
    }
}
