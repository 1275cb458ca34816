public import PTP

/// What went wrong with a camera, with what, and what the person beside it can do.
public struct CameraError: Error, Sendable {
    public enum Problem: Sendable {
        /// The connection is over.
        case ended(Ending)
        /// No response in time; the connection stands.
        case timedOut(OperationCode, after: Duration)
        /// The camera did the operation and says no.
        case answered(OperationCode, ResponseCode, Vendor?)
        case malformed(Malformed)
        /// More data came than was asked for; the connection stands.
        case tooMuchData(OperationCode, limit: UInt64)
        /// The camera says OK and has not sent all that it announced; the connection stands.
        case dataCutShort(OperationCode, announced: UInt64?, received: UInt64)
        /// The camera does not list the operation, and asking all the same breaks some bodies.
        case notSupported(OperationCode)
        case tooLarge(size: UInt64, limit: UInt64)
        case tooManyObjects(limit: Int)
        /// The consumer could not take the bytes: a full disk, mostly.
        case consumer(any Error)
        case cancelled
    }

    /// Host and port, or what the links call it.
    public let camera: String
    /// Which photo, if one.
    public private(set) var subject: String?
    public let problem: Problem
    /// Which object the camera was asked for, if one.
    public private(set) var object: ObjectHandle?
    /// Whose body it is, as far as that was known when it happened.
    let kind: BodyKind?

    init(camera: String, subject: String? = nil, kind: BodyKind? = nil, _ problem: Problem) {
        self.camera = camera
        self.subject = subject
        self.kind = kind
        self.problem = problem
    }

    /// What to do about it, in the maker's words where the body is known and there are some.
    var advice: String {
        switch problem {
        case .ended(let ending): kind?.words?.advice(on: ending) ?? problem.advice
        case .answered(_, let code, _): kind?.words?.advice(on: code) ?? problem.advice
        case .timedOut, .malformed, .tooMuchData, .dataCutShort, .notSupported, .tooLarge, .tooManyObjects,
            .consumer, .cancelled:
            problem.advice
        }
    }

    func about(_ object: ObjectHandle) -> CameraError {
        var error = self
        error.object = object
        return error
    }

    /// In the words of those who look at it.
    func about(_ subject: String) -> CameraError {
        var error = self
        error.subject = subject
        return error
    }
}

extension CameraError: CustomStringConvertible {
    public var description: String {
        let what = subject.map { "\($0): " } ?? ""
        return "\(camera): \(what)\(problem). \(advice)"
    }
}

extension CameraError.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ended(let ending): "\(ending)"
        case .timedOut(let operation, let limit): "no response to \(operation) within \(limit)"
        case .answered(let operation, let code, let vendor):
            "the camera answered \(operation.described(for: vendor)) with \(code.described(for: vendor))"
        case .malformed(let bytes): "\(bytes)"
        case .tooMuchData(let operation, let limit):
            "\(operation) brought more than the \(limit) bytes that were asked for, and what was beyond them was thrown away"
        case .dataCutShort(let operation, let announced, let received):
            "the camera says OK to \(operation) after \(received) of \(announced.map(String.init) ?? "unknown") bytes"
        case .notSupported(let operation): "this camera does not offer \(operation)"
        case .tooLarge(let size, let limit): "\(size) bytes are more than the limit of \(limit)"
        case .tooManyObjects(let limit): "the camera lists more than \(limit) objects"
        case .consumer(let error): "the bytes could not be kept: \(error)"
        case .cancelled: "stopped"
        }
    }

    /// What to do about it.
    public var advice: String {
        switch self {
        case .ended(let ending): ending.advice
        case .timedOut: "The camera may be busy; try again."
        case .answered(_, let code, _): code.advice
        case .malformed: "This camera breaks the rules here; record the session with --record and report it."
        case .tooMuchData:
            "Fetch photos whole instead of in parts, and raise the limit if the camera really holds that much."
        case .dataCutShort: "The photo may still have been written when it was read; fetch it again."
        case .notSupported: "Use another way to get at the photo, or another mode of the camera."
        case .tooLarge, .tooManyObjects: "Raise the limit if this is really what the camera holds."
        case .consumer:
            "Free some space or choose another folder, then go on; nothing of the card was touched."
        case .cancelled: "Run it again to go on where it stopped."
        }
    }
}

extension Ending {
    var advice: String {
        switch self {
        case .closed, .cancelled: "Connect again to go on."
        case .unreachable:
            "Check that the camera's Wi-Fi is on, that this machine is in its network, and the address."
        case .nothingListens:
            "The camera's PC or tether mode is not on, or it listens on another port (a Fujifilm in phone mode: 55740)."
        case .notAdmitted:
            "Look at the camera's screen for the user, the password and the fingerprint, and set ssh-user, ssh-password-file and ssh-host-key to them in the settings."
        case .foreign(let peer): peer.advice
        case .linkLost, .stalled, .tooSlow:
            "Move closer or look at the camera's Wi-Fi; what has arrived is kept and resumed."
        case .refused(.busy, _):
            "Another program or phone holds the camera; end it there, or wait half a minute after a lost link."
        case .refused(.rejectedInitiator, _):
            "The camera does not know this installation: start pairing on the body, where its menu has that, then connect again; where it has none, give us the GUID that it knows (camera.guid in the settings)."
        case .refused: "Look at the camera's screen, leave its Wi-Fi menu and enter it again."
        case .notConfirmed: "Press OK on the camera when it asks, or give it longer."
        case .sessionRefused: "Switch the camera's Wi-Fi off and on, then connect again."
        case .silent: "Look at the camera: it may show a question, sleep, or have to be switched off and on."
        case .hung:
            "Look at the camera: if neither its screen nor its buttons react, switch it off and on, or take its battery out for a moment. What has arrived is kept, and it is connected to again by itself."
        case .misbehaved(.flood, _):
            "Switch the camera off and on; if it goes on like that, record the session with --record and report it."
        case .malformed, .misbehaved:
            "This is no camera, or one with a fault; record the session with --record and report it."
        }
    }
}

extension ForeignPeer {
    var advice: String {
        switch self {
        case .http:
            "Look up the camera's address: this is a router, a log-in page of the network, or a camera in a mode for phones; choose its PC or tether mode."
        case .ssh:
            "A Sony with Access Authentication speaks only inside SSH: say its user, password file and key in config.json5 (ssh-user and what follows), or switch Access Authentication off in its network menu; or look up the camera's address."
        case .tls: "Look up the camera's address and port; PTP/IP is port 15740 and has no TLS."
        case .fujifilmPhone:
            "Choose the body's PC or wireless tether mode instead of the one for phones; if its screen offers a change of the connection, accept it."
        }
    }
}

extension ResponseCode {
    var advice: String {
        switch self {
        case .deviceBusy: "The camera is busy, perhaps with a menu or its card; try again in a moment."
        case .accessDenied:
            "The camera is in a mode that locks its photos; choose another transfer mode on the body."
        case .invalidObjectHandle: "The photo is not there any more; list the camera again."
        case .invalidStorageID, .storeNotAvailable:
            "The card was taken out or is not ready; check it and list again."
        case .storeFull: "The card is full; change it."
        case .sessionNotOpen, .invalidTransactionID: "Connect again to go on."
        case .noThumbnailPresent: "This object has no thumbnail; fetch the whole one."
        case .operationNotSupported:
            "The camera does not do this in its present mode, or is not paired; look at its Wi-Fi menu."
        case .objectWriteProtected, .storeReadOnly: "Take the protection off on the body first."
        default: "Look at the camera, then try again."
        }
    }
}
