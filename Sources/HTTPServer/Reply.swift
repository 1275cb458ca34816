import Basics
import CMicrohttpd
import Glibc

/// An answer in the library's own form.
struct Reply: ~Copyable {
    /// Ours; the library has others of its own while it sends.
    final class Reference: Sendable {
        nonisolated(unsafe) fileprivate let response: OpaquePointer

        fileprivate init(owning response: OpaquePointer) {
            self.response = response
        }

        deinit {
            MHD_destroy_response(response)
        }
    }

    private let reference: Reference
    let status: Int
    /// Of the body, where that is known.
    let length: UInt64
    /// What makes the body, where it is made while it is sent.
    let reader: ResponseBodyReader?
    /// Others are answered with it, too: it says nothing that is of one request alone, and is not changed any more.
    let isShared: Bool

    private init(_ response: OpaquePointer, status: Int, length: UInt64, reader: ResponseBodyReader? = nil) {
        reference = Reference(owning: response)
        self.status = status
        self.length = length
        self.reader = reader
        isShared = false
    }

    init(_ kept: KeptReply) {
        reference = kept.reference
        (status, length, reader, isShared) = (kept.status, kept.length, nil, true)
    }

    /// From now on it is one that others are answered with.
    consuming func keep(for file: ServedFile, _ answer: Response) -> KeptReply {
        KeptReply(reference, status, length, file, answer)
    }

    private var response: OpaquePointer { reference.response }

    /// Whether the library took it.
    borrowing func queue(on connection: OpaquePointer) -> Bool {
        MHD_queue_response(connection, UInt32(status), response) == .YES
    }

    /// Only the server itself sets these.
    private static func isReserved(_ header: HTTPHeader) -> Bool {
        reserved.contains { header.isNamed($0) }
    }

    private static let reserved = ["Date", "Server", "X-Request-Id", "Content-Length", "Transfer-Encoding"]

    borrowing func add(_ headers: [HTTPHeader]) {
        for header in headers where !Self.isReserved(header) { add(header.name, header.value) }
    }

    borrowing func add(_ name: String, _ value: String) {
        precondition(Framing.isToken(name), "a header's name is a token")
        let clean = Self.cleaned(value)
        // The library refuses an empty value.
        if !clean.isEmpty { MHD_add_response_header(response, name, clean) }
    }

    /// As a line of a head that the library does not write; nothing for what is not said.
    static func line(of header: HTTPHeader) -> String? {
        let clean = cleaned(header.value)
        guard !isReserved(header), !clean.isEmpty else { return nil }
        precondition(Framing.isToken(header.name), "a header's name is a token")
        return "\(header.name): \(clean)\r\n"
    }

    /// "A sender MUST NOT generate […] CR, LF, or NUL within a field value" (RFC 9110 §5.5): a value may hold what a
    /// guest typed.
    private static func cleaned(_ value: String) -> String {
        let isClean = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isClean
            ? value
            : String(
                decoding: value.utf8.map { $0 >= 0x20 && $0 != 0x7F ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    }

    // MARK: Bodies

    static func empty(_ status: Int) -> Reply? {
        MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT).map {
            Reply($0, status: status, length: 0)
        }
    }

    static func bytes(_ status: Int, _ bytes: [UInt8]) -> Reply? {
        bytes.withUnsafeBytes { bytes in
            // The library only reads what it is to copy.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }.map { Reply($0, status: status, length: UInt64(bytes.count)) }
    }

    static func reading(_ status: Int, _ reader: ResponseBodyReader, length: UInt64?) -> Reply? {
        reader.makeResponse(length: length).map {
            Reply($0, status: status, length: length ?? 0, reader: reader)
        }
    }

    /// Nothing of the file is sent, and its length is said.
    static func headOnly(_ status: Int, length: UInt64) -> Reply? {
        MHD_create_response_from_callback(length, 1, { _, _, _, _ in -2 }, nil, nil).map {
            Reply($0, status: status, length: 0)
        }
    }

    static func part(_ status: Int, of openFile: OpenFileCache.OpenFile, _ range: Range<UInt64>) -> Reply? {
        let length = range.upperBound - range.lowerBound
        let response =
            switch openFile.content {
            case .descriptor(let descriptor): part(of: descriptor, range.lowerBound, length)
            case .memory(let file): part(of: file, range)
            }
        return response.map { Reply($0, status: status, length: length) }
    }

    private static func part(of descriptor: Int32, _ start: UInt64, _ length: UInt64) -> OpaquePointer? {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        // The library closes the descriptor with the response.
        let response = MHD_create_response_from_fd_at_offset64(length, own, start)
        if response == nil { close(own) }
        return response
    }

    private static func part(of file: OpenFileCache.FileBytes, _ range: Range<UInt64>) -> OpaquePointer? {
        let part = UnsafeRawBufferPointer(rebasing: file.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        let keeper = Unmanaged.passRetained(file)
        // The library only reads them.
        let response = MHD_create_response_from_buffer_with_free_callback_cls(
            part.count, UnsafeMutableRawPointer(mutating: part.baseAddress),
            { context in
                guard let context else { return }
                Unmanaged<OpenFileCache.FileBytes>.fromOpaque(context).release()
            }, keeper.toOpaque())
        if response == nil { keeper.release() }
        return response
    }
}

/// A file's whole answer, kept for all requests that are answered the same: what a guest sees of an event are the same few
/// images that all other guests see.
final class KeptReply: Sendable {
    fileprivate let reference: Reply.Reference
    fileprivate let status: Int
    fileprivate let length: UInt64
    private let type: String
    private let modified: Timestamp?
    private let headers: [HTTPHeader]

    /// About what one takes up, with a dozen headers.
    static let size = 2 << 10

    fileprivate init(
        _ reference: Reply.Reference, _ status: Int, _ length: UInt64, _ file: ServedFile, _ answer: Response
    ) {
        (self.reference, self.status, self.length) = (reference, status, length)
        (type, modified, headers) = (file.type, file.modified, answer.headers)
    }

    /// Whether that is an answer of this file that says the same.
    func isAnswer(_ answer: Response, of file: ServedFile) -> Bool {
        status == answer.status && type == file.type && modified == file.modified && headers == answer.headers
    }
}
