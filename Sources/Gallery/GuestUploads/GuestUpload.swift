import Basics

/// In whose name bytes are brought. Each sees and goes on with its own uploads, and with no other's.
package enum Uploader: Equatable, Sendable {
    case account(String)
    /// A guest's browser, for the host of an event.
    case guest(GuestDevice)

    /// Why an upload has ended, as this one may know it: what an account lacks is its own business.
    func told(_ reason: String) -> String {
        switch self {
        case .account: reason
        case .guest: "this upload has ended; begin a new one"
        }
    }
}

/// A guest's browser at an event.
package struct GuestDevice: Equatable, Sendable {
    /// As its cookie calls it.
    package let id: String
    package let event: String

    package init(id: String, event: String) {
        self.id = id
        self.event = event
    }
}

/// What a guest has brought, as that guest is told.
struct GuestUpload: Equatable, Sendable {
    enum State: String, Sendable {
        /// Bytes are missing.
        case coming
        /// All are here, and are worked on.
        case working
        /// For the hosts.
        case waiting
        case shown
        /// The hosts do not show it.
        case refused
        /// The event had it already.
        case there
        /// The hosts can take no more.
        case full
        case failed
    }

    let id: String
    let state: State
    let filename: String?
    let size: UInt64
    let begunAt: Timestamp
    /// Where guests see it.
    let photo: String?

    var json: JSONValue {
        [
            "uploadId": .string(id), "state": .string(state.rawValue), "filename": filename.json,
            "size": .unsigned(size), "createdAt": begunAt.json, "photoId": photo.json,
        ]
    }

    /// How many of a device's uploads are listed, the newest first.
    static let mostTold = 200
    /// How many may be unfinished: of a device, and in an event.
    package static let mostOpen = 20
    package static let mostOpenInEvent = 1000
    /// How long one without a byte counts among those of an event.
    static let longestEmpty = Duration.seconds(600)
    static let nameLengths = 0...50
}

extension FieldRule where Value == String {
    /// How a guest who brings photos calls themselves; empty for who does not say.
    static var guestName: FieldRule {
        text(GuestUpload.nameLengths).map { text in
            let scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
            let end = scalars.lastIndex { !$0.properties.isWhitespace }
            return end.map { String(scalars[...$0]) } ?? ""
        }
    }
}
