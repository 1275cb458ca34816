package import Basics

/// Where the bytes of photos lie. Keys are 32 hexadecimal digits, and what lies under one never changes.
package protocol ObjectStorage: ObjectList {
    /// A folder for files in the making, on this machine; emptied when the gallery starts.
    var workshop: String { get }
    /// A URL by which its holder may put exactly these bytes there, and the headers to send with them.
    func place(_ claim: PlaceClaim) async throws(StorageProblem) -> UploadTarget
    /// What lies there; nothing when nothing does. Only what is whole is there.
    func look(_ key: String) async throws(StorageProblem) -> StoredObject?
    /// Lends a local file with its bytes, for as long as the body runs. It is read, never changed.
    func withFile<Result>(_ key: String, _ body: (String) async throws -> Result) async throws -> Result
    /// Takes over a file that was made here; it is gone from where it was. Durable when this returns.
    func keep(_ file: String, as key: String, type: String) async throws(StorageProblem)
    /// What is not there is no failure.
    func remove(_ key: String) async throws(StorageProblem)
    /// A part of what was found there by looking, at most a few megabytes. Where that has changed, it is missing.
    func read(
        _ key: String, _ part: Range<UInt64>, of object: StoredObject
    ) async throws(StorageProblem) -> [UInt8]
    /// How a whole object is given out, of which it was noted how large it is. `disposition` is the Content-Disposition of one that
    /// is to be saved, for who gives it out elsewhere.
    func content(
        of key: String, size: UInt64, savedAs disposition: String?
    ) async throws(StorageProblem) -> ObjectContent
    /// The same where nothing has to be waited for: no disk, no network.
    func contentAtHand(of key: String, size: UInt64, savedAs disposition: String?) -> ObjectContent?
    /// Of copies that are kept on this machine; nothing where none are.
    var copies: NearCopies? { get }
    /// Puts away what is kept on this machine and is too old.
    func tidy() async
    /// Where clients put bytes by this server; nothing where they put them into the storage themselves.
    var intake: FolderUploadEndpoint? { get }
}

extension ObjectStorage {
    package var copies: NearCopies? { nil }

    package func tidy() async {}
}

/// An object's content, as a storage gives it to a client that may have it.
package enum ObjectContent: Equatable, Sendable {
    /// A file of this machine, from which any range can be sent.
    case file(path: String, size: UInt64)
    /// The same of a file that may be gone later: each answer looks whether it is there.
    case copy(NearCopy)
    /// What is small enough to pass through memory.
    case bytes([UInt8])
    /// A URL that gives it out, for a moment.
    case elsewhere(String)
}

/// What lies in a storage, read-only.
package protocol ObjectList: Sendable {
    /// Objects in the order of their keys, from behind that one on; none at the end.
    func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject]
}

package struct ListedObject: Equatable, Sendable {
    package let key: String
    package let size: UInt64

    package init(key: String, size: UInt64) {
        self.key = key
        self.size = size
    }
}

/// What a client is allowed to put: these bytes, there, until then.
package struct PlaceClaim: Equatable, Sendable {
    package let key: String
    package let contentType: String
    package let length: UInt64
    /// In hexadecimal, where it was told beforehand.
    package let sha256: String?
    package let expiresAt: Timestamp

    package init(
        key: String, contentType: String, length: UInt64, sha256: String? = nil, expiresAt: Timestamp
    ) {
        self.key = key
        self.contentType = contentType
        self.length = length
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

package struct UploadTarget: Equatable, Sendable {
    package let url: String
    package let requiredHeaders: [HTTPHeader]

    package init(url: String, requiredHeaders: [HTTPHeader]) {
        self.url = url
        self.requiredHeaders = requiredHeaders
    }
}

package struct StoredObject: Equatable, Sendable {
    package let size: UInt64
    package let etag: String

    package init(size: UInt64, etag: String) {
        self.size = size
        self.etag = etag
    }
}

/// Why the storage did not do it.
package struct StorageProblem: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Meaning: Equatable, Sendable {
        /// Nothing lies under that key.
        case missing
        /// Something lies there already.
        case taken
        /// It is full. It passes when the operator makes room.
        case noRoom
        /// It does not answer, or not as it should. It may pass.
        case unavailable
        /// Its settings do not let us in. It does not pass by itself.
        case refused
    }

    package let meaning: Meaning
    /// What was tried, on what, and what to do: a sentence.
    package let description: String

    package init(_ meaning: Meaning, _ description: String) {
        self.meaning = meaning
        self.description = description
    }
}

/// The names of objects.
package enum ObjectKey {
    package static let length = 32
    /// Behind all keys: a list from there on is short, and says whether there is a place to list at all.
    static let beyondAll = "~"

    package static func isKey(_ text: String) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    static func require(_ key: String) {
        precondition(isKey(key), "an object's key is 32 hexadecimal digits, made by the store")
    }
}

/// The header by which both kinds of storage are told a hash, in base64.
enum ChecksumHeader {
    static let name = "x-amz-checksum-sha256"
}
