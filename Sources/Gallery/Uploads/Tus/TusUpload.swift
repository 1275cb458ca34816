package import Basics

/// An upload that comes in pieces, and how far it has come (tus 1.0.0).
package struct TusUpload: Equatable, Sendable {
    package let row: UploadRow
    /// So many bytes lie in the storage, in pieces.
    package let received: UInt64
    /// `Upload-Metadata` as it came.
    package let metadata: String
    package let expiresAt: Timestamp
    /// The request that brings bytes at this moment, or has stopped without a word a moment ago.
    package let holder: String?

    package static let version = "1.0.0"
    package static let contentType = "application/offset+octet-stream"
    /// How long a client may take, with a night between two halves of a card.
    package static let life = Duration.seconds(72 * 3600)
    /// How long no other request may bring bytes after the last sign of the one that does, and how often that gives one.
    package static let lease = Duration.seconds(20)
    static let renewal = Duration.seconds(5)
    /// Of one upload; the largest original in pieces of 64 KB.
    package static let mostPieces = 10_000
    /// Of one account, at a time.
    package static let mostOpen = 2_000

    package var id: String { row.id }
    package var length: UInt64 { row.contentLength }

    /// From where on bytes are wanted. What came another way, or became a photo, is here whole.
    package var offset: UInt64 {
        switch row.intent.state {
        case .processing, .completed: length
        case .failed(_, let key): key == nil ? received : length
        case .pending, .expired: received
        }
    }

    /// Why no bytes are taken any more, whatever is done; nothing where they are.
    package func end(at now: Timestamp) -> String? {
        if case .failed(let failure, key: nil) = row.intent.state { return failure.message }
        return offset < length && expiresAt <= now
            ? "the time for this upload has ended; begin a new one" : nil
    }
}

/// A part of an upload that is on its way.
package struct TusPiece: Equatable, Sendable {
    package let upload: String
    /// The request that brings it.
    package let holder: String
    package let start: UInt64
    /// How long it is said to be.
    package let count: UInt64
    /// Where it is kept, and as what.
    package let key: String
    package let contentType: String
    /// All of the upload's bytes at once: what is kept is the photo's original.
    package let isWhole: Bool
}

/// What becomes one object: pieces in their order, and the key of the whole.
package struct TusPlan: Sendable {
    package let key: String
    package let length: UInt64
    package let contentType: String
    package let pieces: [(key: String, size: UInt64)]
}

/// Why bytes of an upload in pieces are not taken now.
package enum TusRefusal: Error, Equatable, Sendable {
    /// Another request brings some.
    case held
    case wrongOffset(UInt64)
    /// They would be more than were announced.
    case tooLong(UInt64)
    case tooManyPieces
    case tooManyOpen
    /// The upload takes none any more, and why.
    case over(String)
    /// It is a photo, or becomes one.
    case finished
}
