import Basics

/// Which camera: what stays the same when its address does not.
public struct CameraIdentity: Hashable, Sendable {
    public var manufacturer: String
    public var model: String
    /// The serial number, or the responder's GUID where a camera gives none.
    public var body: String

    public init(manufacturer: String, model: String, body: String) {
        self.manufacturer = manufacturer
        self.model = model
        self.body = body
    }

    public var key: String {
        [manufacturer, model, body].map { $0.filter { $0 != "\u{1F}" } }.joined(separator: "\u{1F}")
    }
}

extension CameraIdentity {
    /// What a body is called while another one that calls itself the same in everything is connected elsewhere: only its
    /// place tells the two apart.
    public func told(apartBy place: String) -> CameraIdentity {
        CameraIdentity(manufacturer: manufacturer, model: model, body: "\(body) at \(place)")
    }

    /// What a body is called whose serial number another one bears.
    public func told(apartByWireID wireID: String) -> CameraIdentity {
        CameraIdentity(manufacturer: manufacturer, model: model, body: "\(body) with GUID \(wireID)")
    }
}

extension CameraIdentity: CustomStringConvertible {
    public var description: String {
        let name = model.isEmpty ? manufacturer : model
        return body.isEmpty ? name : "\(name) (\(body))"
    }
}

/// What makes a photo the same photo, across reconnects, power cycles and restarts.
///
/// The camera's reference is not in it: it is good for one connection. Names repeat (9999 is followed by 0001, every
/// body of a maker counts alike), dates have a resolution of a second, sizes repeat: only all of it together
/// tells photos apart.
public struct PhotoIdentity: Hashable, Sendable {
    public var camera: CameraIdentity
    public var slot: UInt16
    public var folders: [String]
    public var name: String
    public var size: UInt64
    /// As the camera wrote it.
    public var captureDate: String
    public var format: UInt16

    public init(
        manufacturer: String, model: String, body: String, slot: UInt16, folders: [String], name: String,
        size: UInt64, captureDate: String, format: UInt16
    ) {
        camera = CameraIdentity(manufacturer: manufacturer, model: model, body: body)
        self.slot = slot
        self.folders = folders
        self.name = name
        self.size = size
        self.captureDate = captureDate
        self.format = format
    }

    /// One text for all of it. Parts are separated by what no part contains.
    public var key: String {
        let parts = [
            camera.manufacturer, camera.model, camera.body, String(slot), folders.joined(separator: "\u{1E}"),
            name, String(size), captureDate, String(format, radix: 16),
        ]
        return parts.map { $0.filter { $0 != "\u{1F}" } }.joined(separator: "\u{1F}")
    }

    /// The camera's own names, with slashes between them, for people.
    public var path: String { (folders + [name]).joined(separator: "/") }

    /// The name without its extension: what a RAW and its JPEG have in common.
    public var stem: String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// The camera's local time as seconds on an imagined clock without zones; nothing when it is no date.
    public var takenAt: Int64? { CivilTime(ptp: captureDate)?.secondsSince1970 }

    public var kind: PhotoKind { PhotoKind(format: format, name: name) }

    /// A voice memo or a sidecar: what a camera writes beside a photo, under the photo's name.
    public var isCompanion: Bool { kind == .other && Self.companions.contains(ending) }

    public static let companions: Set<String> = ["WAV", "XMP"]
}

/// One photo that a camera has and that may be wanted.
public struct Offer: Hashable, Sendable {
    public var identity: PhotoIdentity
    /// What the camera calls it in this connection.
    public var reference: PhotoReference
    /// What the camera calls it for ever, whatever its reference, where the camera has such a name for it.
    public var stableID: String?
    /// Not on a card: gone when the camera needs the memory. Known by its arrival and its content, never by identity.
    public var isInMemory = false
    /// In memory, and written to no card: what the camera gives is all there is of it.
    public var isOnlyCopy = false
    /// On a card, and the camera waits to be told that it is here or not wanted, as for one in its memory.
    public var wantsRelease = false
    public var isProtected = false
    /// From 0 to 5 stars; nothing where the camera does not say or was not asked.
    public var rating: Int?
    /// Counts within one power-on, where the camera counts; a RAW and its JPEG share it.
    public var sequence: UInt32 = 0

    /// For people: the camera's kind of file, and the store that it lies in.
    public var formatName = ""
    public var store = ""

    /// Of several that look alike and lie on the card at the same time, which one: 0 for the first.
    public var twin = 0

    public init(identity: PhotoIdentity, reference: PhotoReference) {
        self.identity = identity
        self.reference = reference
    }

    /// While a photo is being written cameras say 0, or 2^32 - 1 for what is larger. Such a size identifies nothing.
    public var hasFinalSize: Bool { Self.isFinal(size: identity.size) }

    /// 0 and 2^32 - 1 say that it is not known.
    public static func isFinal(size: UInt64) -> Bool { size > 0 && size != UInt64(UInt32.max) }

    /// What the ledger knows it by. Nothing while size and date may still change, and for what is in memory.
    public var key: String? {
        guard !isInMemory, hasFinalSize else { return nil }
        return twin == 0 ? identity.key : "\(identity.key)\u{1F}\(twin)"
    }
}

/// What is treated alike.
public enum PhotoKind: String, Equatable, Sendable {
    /// JPEG and HEIF: small, and what viewers wait for.
    case picture
    case raw
    /// Videos, sound, whatever else.
    case other

    public init(format: UInt16, name: String) {
        let dot = name.lastIndex(of: ".")
        let ending = dot.map { name[name.index(after: $0)...].uppercased() } ?? ""
        // EXIF/JPEG, JFIF; DNG; Canon's and others' RAW and HEIF codes differ, their extensions do not.
        if format == 0x3801 || format == 0x3808 || ["JPG", "JPEG", "HIF", "HEIC", "HEIF"].contains(ending) {
            self = .picture
        } else if format == 0x3811 || Self.rawEndings.contains(ending) {
            self = .raw
        } else {
            self = .other
        }
    }

    private static let rawEndings: Set<String> = [
        "NEF", "NRW", "CR2", "CR3", "CRW", "ARW", "SR2", "SRF", "DNG", "RAF", "ORF", "RW2", "PEF", "SRW",
        "3FR",
        "IIQ", "RWL", "X3F",
    ]
}
