public import Basics

/// How a step of a job ended, classified where the knowledge is.
public enum DeliveryOutcome: Equatable, Sendable {
    case delivered(Receipt)
    /// About this photo: it counts as an attempt.
    case retryable(String, after: Duration? = nil)
    /// About this photo, and trying again would change nothing.
    case permanent(String)
    /// About the destination: no attempt is spent, everything for it waits, one job probes. It is held
    /// against the photo after all when others have been delivered since it last met this.
    case destinationFailed(String, after: Duration? = nil)
    /// No server is there, or the one that answers is not the destination: no network, no name, a log-in page. Everything for
    /// it waits, one job probes, and it is never held against a photo, however often it comes back.
    case notThere(String)
    /// The connection was lost on the way. Mostly that is the network, and everything for the destination waits. It is
    /// held against a photo that was cut off alone, when others went through and it is cut off again.
    case cut(String)
    /// About the destination, and it is known what the operator has to do: everything for it waits for that, one job asks
    /// again each minute, and no attempt is spent, whatever else is delivered.
    case held(HoldCause, String)
    /// Taken back by us; nothing is known against photo or destination, and the job is what it was before.
    case cancelled

    // Of galleries only.

    /// A place to put it.
    case presigned(PresignedUpload)
    /// The bytes are there; the gallery is asked what becomes of them. Not certain when no answer came: then a gallery
    /// that still waits for them means that they are to be sent again.
    case sent(isCertain: Bool)
    /// The place is refused: its time is over, or the clocks differ. A fresh one for the same upload is asked for.
    case placeRefused(String)
    /// The gallery does not know this upload any more: it is begun anew under the same key.
    case intentForgotten
    /// The gallery says that it goes on without us: it is asked how.
    case goesOn
    /// The event takes nothing any more: this photo waits for the operator, the others wait with the destination.
    case eventExpired(String)

    var isDelivered: Bool {
        if case .delivered = self { true } else { false }
    }

    /// A gallery has its bytes, or may have them.
    var isSent: Bool {
        switch self {
        case .sent, .goesOn: true
        default: false
        }
    }
}

/// What the operator has to do before a destination takes photos again.
public enum HoldCause: String, Equatable, Sendable, CaseIterable {
    case loggedOut
    case consent
    case credits
    /// The other side could not prove who it is.
    case certificate
    /// An address, a name or a key is wrong.
    case settings
    case eventExpired
}

/// A place that a gallery has given for one photo.
public struct PresignedUpload: Equatable, Sendable {
    public let uploadID: String
    /// Signed, so never logged. Empty when a fresh one has to be asked for.
    public var url: String
    public var objectKey: String
    /// By our own clock: corrected by what the gallery's clock showed when it answered.
    public var expiresAt: Timestamp
    /// Sent with the bytes exactly as they are.
    public var headers: [HTTPHeader]

    public init(
        uploadID: String, url: String, objectKey: String, expiresAt: Timestamp, headers: [HTTPHeader]
    ) {
        self.uploadID = uploadID
        self.url = url
        self.objectKey = objectKey
        self.expiresAt = expiresAt
        self.headers = headers
    }

    /// As the ledger keeps it.
    public var noted: String {
        JSONValue.object([
            (key: "uploadId", value: .string(uploadID)), (key: "url", value: .string(url)),
            (key: "objectKey", value: .string(objectKey)),
            (key: "expiresAt", value: .integer(expiresAt.milliseconds)),
            (
                key: "headers",
                value: .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] })
            ),
        ]).compact
    }

    /// Nothing for what is no note of a place: a fresh one is asked for then.
    public init?(noted: String) {
        do throws(JSON5Error) {
            let value = try JSON5.parse(noted)
            guard let uploadID = value["uploadId"]?.string, let url = value["url"]?.string,
                let objectKey = value["objectKey"]?.string, let expiry = value["expiresAt"]?.integer
            else { return nil }
            let headers = (value["headers"]?.array ?? []).compactMap { header -> HTTPHeader? in
                guard let name = header["name"]?.string, let value = header["value"]?.string else {
                    return nil
                }
                return HTTPHeader(name, value)
            }
            self.init(
                uploadID: uploadID, url: url, objectKey: objectKey,
                expiresAt: Timestamp(milliseconds: expiry), headers: headers)
        } catch {
            return nil
        }
    }
}

/// What a gallery says of one upload.
public enum ProcessingState: Equatable, Sendable {
    /// It waits for the bytes, or has not seen them yet.
    case pending
    case processing
    case completed(Receipt)
    /// Left out of the answer.
    case unknown
    /// Its time was over before the bytes came, or so the gallery thinks.
    case expired
    /// Sending it again may help; counts as an attempt.
    case failedRetryable(String)
    case failedPermanent(String)
    case held(HoldCause, String)
}

/// The answer to asking about several at once.
public enum ProcessingAnswer: Equatable, Sendable {
    case states([JobID: ProcessingState])
    case destinationFailed(String, after: Duration? = nil)
    case held(HoldCause, String)
    case cancelled
}
