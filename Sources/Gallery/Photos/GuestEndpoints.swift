import Basics
package import HTTPServer
import Web

/// `/e/{slug}`: what guests see, without an account.
package struct GuestEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let lists: PhotoLists
    let accounts: Accounts
    let door: GuestDoor
    let settings: GallerySettings
    let feeds: Feeds
    let directory: EventDirectory
    let timelines: TimelineCache
    let sections: SectionCache
    let answers: PageAnswers

    // MARK: Who may look

    enum Door {
        case open(Event)
        /// He has not entered the PIN.
        case closed(Event)
        /// Its hosts let guests look until some moment, and that is past.
        case over(Event)
        case nothing
    }

    static let gone = APIError(.gone, "the hosts have closed this gallery; ask them for the photos")

    private static let longestSlug = 100

    func knock(_ request: Request) async throws -> Door {
        guard let slug = request.parameters["slug"], slug.utf8.count <= Self.longestSlug,
            let event = try await reader({ try $0.event(slug: slug) })
        else { return .nothing }
        return knock(at: event, request)
    }

    func knock(at event: Event, _ request: Request) -> Door {
        if isOver(event) { return .over(event) }
        return door.mayLook(at: event.door, request) ? .open(event) : .closed(event)
    }

    func isOver(_ event: Event) -> Bool {
        event.isOver(at: door.wall.wallNow)
    }

    /// For requests that want data rather than a page.
    func visible(_ request: Request) async throws -> Event {
        try open(try await knock(request))
    }

    /// With its last change, for a list of it that is read after that: what comes between is asked for once more rather than
    /// not at all.
    func visibleAndStamp(_ request: Request) async throws -> (event: Event, stamp: Int64) {
        guard let slug = request.parameters["slug"], slug.utf8.count <= Self.longestSlug,
            let found = try await reader({ try $0.eventAndStamp(slug: slug) })
        else { throw APIError.notFound("event") }
        return (try open(knock(at: found.event, request)), found.stamp)
    }

    func open(_ door: Door) throws -> Event {
        switch door {
        case .open(let event): return event
        case .closed: throw APIError(.forbidden, "enter the PIN to see these photos")
        case .over: throw Self.gone
        case .nothing: throw APIError.notFound("event")
        }
    }

    // MARK: The page

    package func page(_ request: Request) async throws -> Response {
        let goal = Self.album(request).map { PINPage.Goal.section($0) }
        if let key = request.query[GuestLinkKey.parameter] {
            return try await enter(by: key, request, leadingTo: goal)
        }
        switch try await knock(request) {
        case .nothing: return answers.answer(404, to: request) { PlainPage($0).notFound }
        case .over(let event):
            return answers.answer(410, to: request) { PlainPage($0).over(name: event.name) }
        case .closed(let event): return try await closed(event, request, leadingTo: goal)
        case .open(let event):
            if let clean = withoutMark(request, in: event, at: goal) { return clean }
            var filter: PhotoFilter
            do {
                filter = try PhotoEndpoints.filter(request)
            } catch is APIError {
                // The URL was edited by hand; the page begins at its beginning.
                filter = PhotoFilter()
            }
            filter.limit = GuestPage.photosAtOnce
            // Before the photos are read: what comes between is told twice rather than not at all.
            let position = try await reader { try $0.lastStamp(ofEvent: event.id) }
            let last = try await reader { try $0.lastSequence(of: event.id) }
            let sections = try await sections.sections(of: event.id, at: position)
            // One that is empty by now is the whole.
            filter.album = Self.album(request).flatMap { sections.has($0) ? $0 : nil }
            let (photos, cookies) = try await list(of: event.id, filter, for: request)
            var page = GuestPage(
                event: pageEvent(event), cover: try await cover(of: event),
                photos: photos.map { PagePhoto($0, in: event, settings.images) },
                next: PhotoEndpoints.next(photos, filter).string, cursor: request.query["cursor"],
                search: filter.text, sections: sections.sections, album: filter.album,
                livePosition: UInt64(clamping: position), lastSequence: last)
            page.savesData = request["Save-Data"] == "on"
            var response = answers.showing(page.placeholders.sheet).answer(to: request) { language in
                page.language = language
                return page.html
            }
            response.headers.append(HTTPHeader("Vary", "Save-Data"))
            response.headers += cookies
            // What was searched for stands in it, beside captions and keys of images that only guests may see.
            if !event.isOpen, !request.query.items.isEmpty { response.compression = .never }
            return response
        }
    }

    func gate(
        _ status: Int, of event: Event, _ problem: PINPage.Problem?, _ goal: PINPage.Goal?, _ request: Request
    ) -> Response {
        answers.answer(status, to: request) { language in
            PINPage(
                name: event.name, slug: event.slug, problem: problem, goal: goal, look: event.pageLook,
                language: language
            ).html
        }
    }

    /// What a QR code leads to: one request, which gives the pass and sends on to the address without the key.
    func enter(
        by key: String, _ request: Request, leadingTo goal: PINPage.Goal?
    ) async throws -> Response {
        switch try await knock(request) {
        case .nothing: return answers.answer(404, to: request) { PlainPage($0).notFound }
        case .over(let event):
            return answers.answer(410, to: request) { PlainPage($0).over(name: event.name) }
        case .open(let event), .closed(let event):
            do throws(APIError) {
                let pass = try door.enter(event.door, key: key, from: request.peer)
                return lead(request, into: event, to: goal, with: pass)
            } catch {
                // A guest who is in by another way stays in.
                guard !door.mayLook(at: event.door, request) else {
                    return lead(request, into: event, to: goal, with: nil)
                }
                return try await closed(event, request, leadingTo: goal, .oldKey)
            }
        }
    }

    func pageEvent(_ event: Event) -> PageEvent {
        PageEvent(
            name: event.name, slug: event.slug,
            startsAt: event.startsAt.map { event.clock(at: $0, store.zones) },
            lastDay: event.lastDay(at: door.wall.wallNow).map { event.clock(at: $0, store.zones) },
            photos: event.counts.visible,
            guestURL: guestURL(event.slug), isOpen: event.isOpen,
            takesReactions: event.allowsHearts || event.allowsComments,
            takesUploads: event.guestUploads.isAllowed, look: event.pageLook)
    }

    private func guestURL(_ slug: String) -> String { "\(settings.publicURL)/e/\(slug)" }

    /// A client that asks again and again, because there is no room for it to listen, is told when nothing has changed.
    package func photos(_ request: Request) async throws -> Response {
        let (event, stamp) = try await visibleAndStamp(request)
        var (filter, until) = try await window(request, of: event)
        filter.album = try await album(request, of: event, at: stamp)
        let tag = Self.tag(stamp, of: filter.album)
        if request.knows(tag.value) { return Response(status: 304, headers: [tag]) }
        let (found, cookies) = try await list(of: event.id, filter, for: request)
        let photos = until.map { until in found.filter { $0.place >= until } } ?? found
        var response = Response.data([
            "photos": .array(photos.map { PagePhoto($0, in: event, settings.images).json }),
            "next": PhotoEndpoints.next(photos, filter),
        ])
        response.headers.append(tag)
        response.headers += cookies
        return response
    }

    /// Who searches once is told from others behind the same address the next time. That is counted while the search runs:
    /// nodes count in rows that they share, which takes as long as a search.
    private func list(
        of event: String, _ filter: PhotoFilter, for request: Request
    ) async throws -> (photos: [Photo], cookies: [HTTPHeader]) {
        let guest = door.guest(of: request)
        guard !filter.text.isEmpty else {
            return (try await lists.photos(of: event, filter, for: request, by: guest), [])
        }
        let found = try await lists.found(of: event, filter, for: request, by: guest) {
            try await door.deviceCookie(for: request).map { [$0] } ?? []
        }
        return (found.photos, found.other)
    }

    // MARK: The PIN

    package func access(_ request: Request) async throws -> Response {
        let isForm = request["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") ?? false
        let event: Event
        switch try await knock(request) {
        case .nothing:
            if isForm { return answers.answer(404, to: request) { PlainPage($0).notFound } }
            throw APIError.notFound("event")
        case .over(let event):
            if isForm { return answers.answer(410, to: request) { PlainPage($0).over(name: event.name) } }
            throw Self.gone
        case .open(let found), .closed(let found): event = found
        }
        guard isForm else { return try await door.access(event.door, request) }
        let goal = Self.goal(request)
        do {
            let pass = try await door.enter(event.door, pin: Self.formField("pin", request), request)
            return lead(request, into: event, to: goal, with: pass)
        } catch let error as APIError {
            let problem: PINPage.Problem = error.retryAfter.map { .tooMany(retryAfter: $0) } ?? .wrong
            var response = gate(
                error.code == .rateLimited ? 429 : 401, of: event, problem, goal, request)
            response.headers += error.response.headers.filter { $0.name == "Retry-After" }
            return response
        }
    }

    /// Where the form leads.
    private static func goal(_ request: Request) -> PINPage.Goal? {
        func id(_ name: String) -> String? { formField(name, request).flatMap(FieldRule.canonicalUUID) }
        if let goal = id("photo").map(PINPage.Goal.photo) ?? id("album").map(PINPage.Goal.section) {
            return goal
        }
        return formField("show", request).map { .show(seconds: seconds($0)) }
    }

    /// Digits and ids need no unescaping; a space is what a phone puts behind a word.
    private static func formField(_ name: String, _ request: Request) -> String? {
        let mark = Array("\(name)=".utf8)
        let pairs = request.body.split(separator: UInt8(ascii: "&"))
        let value = pairs.first { $0.starts(with: mark) }?.dropFirst(mark.count)
        return value.map { String(decoding: $0.filter { $0 != UInt8(ascii: "+") }, as: UTF8.self) }
    }

    /// Works before the first photo is there. Every client gets only the address that it asked by: the key is told to the
    /// host alone. Who has it, such as the screen in the hall that a host has opened, gets the code that opens.
    package func qrCode(_ request: Request) async throws -> Response {
        guard let slug = request.parameters["slug"],
            let event = try await reader({ try $0.event(slug: slug) })
        else {
            throw APIError.notFound("event")
        }
        let opens = request.query[GuestLinkKey.parameter].map(event.key.isSame) ?? false
        return .text(
            200, qrSVG(opens ? event.entryURL(settings.publicURL) : guestURL(event.slug)),
            type: "image/svg+xml",
            headers: [
                HTTPHeader("Cache-Control", opens ? "no-store" : "no-cache"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ])
    }
}

extension Event {
    var door: GuestDoor.Event { GuestDoor.Event(id: id, pinHash: pinHash, key: key) }
}

extension PagePhoto {
    init(_ photo: Photo, in event: Event, _ images: ImageDelivery) {
        self.init(
            id: photo.id, sequence: photo.sequence, caption: photo.caption, tags: photo.tags,
            capturedAt: photo.capturedAt, capturedOffset: photo.capturedOffset, shownAt: photo.shownAt,
            position: photo.place.text, width: photo.width, height: photo.height,
            thumbWidth: photo.thumbWidth, thumbHeight: photo.thumbHeight, thumbKey: photo.thumbKey,
            screenKey: photo.screenKey,
            originalKey: event.allowsOriginals ? photo.originalKey : nil,
            addresses: images.addresses(isOpen: event.isOpen), filename: photo.name,
            video: photo.video.map(PageVideo.init),
            guestName: photo.guestName.flatMap { $0.isEmpty ? nil : $0 }, tile: photo.tile,
            placeholder: photo.placeholder)
    }
}
