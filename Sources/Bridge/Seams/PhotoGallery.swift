public import Basics

/// What pictures of photos ask of the gallery that an event goes to.
public protocol PhotoGallery: Sendable {
    /// The gallery's id of the event.
    var event: String { get }

    /// With whose rights all else is asked; another word for another account or gallery. Nothing where no account is
    /// logged in. Blocks for the time of reading a small file.
    func account() throws -> String?

    /// Nothing where the event has gone, or is another account's.
    func openEvent() async throws -> GalleryEventSpan?

    /// Nothing where the photo has gone.
    func photo(_ id: String) async throws -> GalleryPhoto?

    /// Those that the gallery does not know are left out. So many at a time: ``GalleryPhoto/mostAsked``.
    func fates(of ids: [String]) async throws -> [String: GalleryPhoto.Fate]

    /// Where the image of that key is had, with what lets us in.
    func imageAddress(of key: String) async throws -> (url: String, headers: [HTTPHeader])
}

/// How long an event's photos may be shown.
public struct GalleryEventSpan: Equatable, Sendable {
    public let expiresAt: Timestamp?

    public init(expiresAt: Timestamp?) {
        self.expiresAt = expiresAt
    }
}

/// A photo as a gallery has it: under which keys its images are had there.
public struct GalleryPhoto: Equatable, Sendable {
    /// What has become of it.
    public enum Fate: String, Sendable {
        case shown
        case hidden
        case deleted
    }

    public let isHidden: Bool
    public let thumbKey: String
    public let screenKey: String

    public static let mostAsked = 50

    public init(isHidden: Bool, thumbKey: String, screenKey: String) {
        self.isHidden = isHidden
        self.thumbKey = thumbKey
        self.screenKey = screenKey
    }
}
