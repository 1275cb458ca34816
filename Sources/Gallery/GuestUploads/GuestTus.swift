import Basics
import HTTPServer

/// Guests who bring photos and videos in pieces, by the cookie of their browser. What is taken of one is an upload of its
/// event's host.
struct GuestTus: TusAuthority {
    let guests: GuestEndpoints
    let devices: GuestDevices
    let limits: LimitCounter<GuestUploadLimits>
    let activity: ActivityLog

    static let pattern = "/e/{slug}/uploads/tus"
    private static let end = "uploads/tus"

    static func isAt(_ path: String) -> Bool {
        // This is asked for every answer, and most are of other paths.
        guard path.hasPrefix("/e/") else { return false }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return (5...6).contains(parts.count) && parts[1] == "e" && parts[3] == "uploads" && parts[4] == "tus"
    }

    func path(_ request: Request) -> String { "/e/\(request.parameters["slug"] ?? "")/\(Self.end)" }

    func admit(_ request: Request) async throws -> TusAdmission {
        let event = try await open(request)
        let known = devices.device(of: request, at: event.id)
        return TusAdmission(
            uploader: .guest(GuestDevice(id: known ?? devices.newDevice(), event: event.id)),
            isNew: known == nil)
    }

    var largest: UInt64 { max(guests.settings.uploadLimit, guests.settings.mostOfGuestVideo ?? 0) }

    func limit(of contentType: String) throws(APIError) -> UInt64 {
        let settings = guests.settings
        guard settings.guestTypes.contains(contentType) else {
            let types = settings.guestTypes.joined(separator: ", ")
            throw APIError(
                .unprocessable, "not valid: contentType",
                fields: [("contentType", ["must be one of \(types)"])])
        }
        let ofVideo = VideoType.isVideo(contentType) ? settings.mostOfGuestVideo : nil
        return ofVideo ?? settings.uploadLimit
    }

    /// Of this event, whatever the client has named. Where a photo comes from is for hosts to say.
    func wish(_ metadata: TusMetadata, length: UInt64, for admission: TusAdmission) -> JSONValue {
        guard case .guest(let guest) = admission.uploader else { return .null }
        let own = (metadata.wish(length: length).members ?? []).filter {
            !["eventId", "source"].contains($0.key)
        }
        return .object(own + [("eventId", .string(guest.event))])
    }

    func begin(
        _ wish: UploadWish, metadata: TusMetadata, text: String, for admission: TusAdmission,
        _ request: Request
    ) async throws -> (upload: TusUpload, headers: [HTTPHeader]) {
        guard case .guest(let guest) = admission.uploader else { throw APIError.notFound("event") }
        let name = try JSONFields.read(["guest": .string(metadata.values["guest"] ?? "")]) {
            $0.required("guest", .guestName)
        }
        let subject = GuestUploadLimits.Subject(
            device: guest.id, isNew: admission.isNew, address: PeerKey(request.peer))
        if let wait = try await limits.decide(on: subject, { $0.take(by: subject, at: $1) }) {
            throw APIError(
                .rateLimited, "too many photos came from here; wait before the next", retryAfter: wait)
        }
        let consent = guests.settings.consentVersion
        let upload = try await guests.store {
            try $0.beginTus(wish, metadata: text, by: guest, name: name, consent: consent)
        }
        // Who it is, as far as is known, and not how they call themselves.
        activity.note(
            .guestUpload, ["upload": upload.id, "event": guest.event, "from": request.peer])
        return (upload, admission.isNew ? [devices.cookie(of: guest.id, at: guest.event)] : [])
    }

    func uploader(of request: Request) async throws -> Uploader {
        // What was begun may be ended when no more is taken.
        let event = try await request.method == "DELETE" ? guests.visible(request) : open(request)
        guard let device = devices.device(of: request, at: event.id) else {
            throw APIError.notFound("upload")
        }
        return .guest(GuestDevice(id: device, event: event.id))
    }

    func json(_ upload: TusUpload, isThereAlready: Bool) async throws -> JSONValue {
        [
            "uploadId": .string(upload.id), "offset": .unsigned(upload.offset),
            "length": .unsigned(upload.length), "expiresAt": upload.expiresAt.json,
        ]
    }

    /// Who may look may bring, where the hosts take photos of guests.
    private func open(_ request: Request) async throws -> Event {
        let event = try await guests.visible(request)
        guard event.guestUploads.isAllowed else { throw GalleryRefusal.guestUploadsClosed }
        return event
    }
}
