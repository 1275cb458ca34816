/// What makes a photo the same photo, across reconnects, power cycles and restarts.
///
/// The camera's handle is not in it: it is good for one session. Names repeat (9999 is followed by 0001, every
/// body of a maker counts alike), dates have a resolution of a second, sizes repeat: only all of it together
/// tells photos apart.
public struct PhotoIdentity: Hashable, Sendable {
    public var manufacturer: String
    public var model: String
    /// The serial number, or the responder's GUID where a camera gives none.
    public var body: String
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
        self.manufacturer = manufacturer
        self.model = model
        self.body = body
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
            manufacturer, model, body, String(slot), folders.joined(separator: "\u{1E}"), name, String(size),
            captureDate, String(format, radix: 16),
        ]
        return parts.map { $0.filter { $0 != "\u{1F}" } }.joined(separator: "\u{1F}")
    }
}

/// One photo that a camera has and that somebody may want.
public struct Offer: Hashable, Sendable {
    public var identity: PhotoIdentity
    /// The camera's name for it in this session.
    public var handle: UInt32

    public init(identity: PhotoIdentity, handle: UInt32) {
        self.identity = identity
        self.handle = handle
    }
}
