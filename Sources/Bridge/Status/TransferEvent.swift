public import Basics

/// What happens on a photo's way from a camera onto the spool, for those who show it. ``CameraNews`` says of which
/// camera.
public enum TransferEvent: Equatable, Sendable {
    case connection(ConnectionLife.State)
    /// Where on the camera its connection is switched on, while it is being connected to.
    case advice(String)
    /// What the person beside the camera has to do now.
    case personNeeded(String)
    case state(TransferState)
    /// Who has been met.
    case met(CameraIdentity)
    /// By how many seconds its clock is ahead of the one on the wall here; nothing where it does not tell its time.
    case clock(ahead: Int64?)
    /// The card has been held against the ledger: photos listed, wanted, and passed over by each rule.
    case reconciled(listed: Int, wanted: Int, passedOver: [FilterRule: Int])
    /// Shot just now, and not taken by a rule.
    case passedOver(CaptureID, path: String, FilterRule)
    case began(CaptureID, path: String, size: UInt64, from: UInt64)
    case staged(CaptureID, path: String, StagedPhoto)
    case duplicate(CaptureID, path: String, of: CaptureID)
    case lost(CaptureID, path: String, String)
    /// It has cost connections: it is tried again behind all others.
    case suspected(CaptureID?, path: String, String)
    /// It is not asked for any more for a while. A photo that could not be described has no number.
    case givenUp(CaptureID?, path: String, String)
    /// An object that had been given up has been described, by the name under which it was.
    case described(path: String)
    /// There is not a byte in it.
    case empty(CaptureID, path: String)
    case deleted(CaptureID, path: String)
    /// It stays on the card, because.
    case notDeleted(CaptureID, path: String, String)
    /// The disk does not take photos, or with no meaning the ledger; it goes on by itself.
    case held(String, DiskError.Meaning?)
    case released
    /// Something odd that costs nothing.
    case remark(String)
}

/// What happened, and with which camera: two bodies call their photos alike.
public struct CameraNews: Equatable, Sendable {
    /// Where it is reached: `192.168.1.1:15740`.
    public var place: String
    /// Our number of the body; nothing before it has been met.
    public var camera: CameraID?
    public var event: TransferEvent

    public init(place: String, camera: CameraID? = nil, _ event: TransferEvent) {
        self.place = place
        self.camera = camera
        self.event = event
    }
}
