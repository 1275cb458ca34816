package import Basics
import Digest

/// What an image shows, at the gallery. When that is deleted or hidden, every rendition of it goes.
package struct ImageObject: Hashable, Sendable {
    package let type: String
    package let id: String

    package init(type: String, id: String) {
        self.type = type
        self.id = id
    }

    package static func photo(_ id: String) -> ImageObject { ImageObject(type: "photo", id: id) }
}

/// With whose rights an image was had, and of which event it is.
package struct ImageOwner: Hashable, Sendable {
    package let account: String
    package let event: String

    package init(account: String, event: String) {
        self.account = account
        self.event = event
    }
}

/// What may be looked at now: the images that this account has fetched, of these events.
package struct ImageAccess: Equatable, Sendable {
    package let account: String
    /// Nothing for every event of the account.
    package let events: Set<String>?

    package init(account: String, events: Set<String>? = nil) {
        self.account = account
        self.events = events
    }

    package func includes(_ owner: ImageOwner) -> Bool {
        owner.account == account && events?.contains(owner.event) ?? true
    }
}

/// One rendition of one object, and how it is had where it is not here.
package struct ImageRequest: Sendable {
    /// The image's name at the gallery: `thumbKey`, `screenKey`, `originalKey`.
    package let key: String
    /// Where it is had; without a signature that changes from one request to the next.
    package let url: String
    package let object: ImageObject
    /// `thumb`, `screen`, `original`: of each kind an object has one image.
    package let kind: String
    package let owner: ImageOwner
    /// Sent when it is fetched, such as `Authorization`. Never kept.
    package var headers: [HTTPHeader]
    /// The gallery promises other bytes another key, as Tetherline's does: then it is not asked again, also where its
    /// answer tells browsers to ask each time.
    package var neverChanges: Bool
    /// From then on it may not be shown any more: the end of its event.
    package var expiresAt: Timestamp?

    package init(
        key: String, url: String, object: ImageObject, kind: String, owner: ImageOwner,
        headers: [HTTPHeader] = [], neverChanges: Bool = false, expiresAt: Timestamp? = nil
    ) {
        self.key = key
        self.url = url
        self.object = object
        self.kind = kind
        self.owner = owner
        self.headers = headers
        self.neverChanges = neverChanges
        self.expiresAt = expiresAt
    }

    /// The name of its file: the SHA-256 of its key, so that no key can be a path.
    package static func cacheKey(of key: String) -> String { SHA256.of(Array(key.utf8)).description }

    /// Keys, ids and kinds of a gallery have some 40 bytes.
    static let longestName = 200
    /// As long as an address may be that is asked for anything.
    static let longestURL = 16 << 10

    func check() throws(ImageProblem) {
        let names = [key, object.type, object.id, kind, owner.account, owner.event]
        guard names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.longestName }),
            !url.isEmpty, url.utf8.count <= Self.longestURL
        else {
            throw ImageProblem(
                .invalid,
                "an image of \(object.type) \(Visible(String(object.id.prefix(40)))) cannot be asked for: its key, "
                    + "address or id is empty or too long")
        }
    }
}

/// An image as it is handed out.
package struct CachedImage: Equatable, Sendable {
    package enum Source: String, Sendable {
        case memory
        case disk
        case network
    }

    package let bytes: [UInt8]
    package let contentType: String
    /// The SHA-256 of the bytes.
    package let sha256: String
    package let source: Source
    /// The gallery could not be asked whether it is still the same.
    package var isStale = false

    /// A strong one, with its quotes, for those who hand it on over HTTP.
    package var etag: String { "\"\(sha256)\"" }
}

/// Which images are meant.
package enum ImageSelection: Equatable, Sendable {
    /// By its key at the gallery.
    case image(String)
    /// Every rendition of it.
    case object(ImageObject)
    /// Everything of an event that was deleted, has expired or was closed.
    case event(String)
    case all

    func includes(key: String, _ object: ImageObject, _ owner: ImageOwner) -> Bool {
        switch self {
        case .image(let meant): key == meant
        case .object(let meant): object == meant
        case .event(let meant): owner.event == meant
        case .all: true
        }
    }
}
