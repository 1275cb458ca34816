import Basics
import CCurl

/// A setting of libcurl's, as a value.
enum Option: Sendable {
    case number(CURLoption, Int)
    case large(CURLoption, UInt64)
    case text(CURLoption, String)
    /// Takes a default away.
    case noText(CURLoption)
    case bytes(CURLoption, [UInt8])
    case list(CURLoption, [String])
}

/// One transfer, settled before it begins: the thread that performs it decides nothing.
struct Order: Sendable {
    /// What happens to the bytes that come.
    enum Sink: Sendable {
        /// An answer of HTTP, with so many bytes of body at most.
        case answer(limit: Int)
        /// Each piece as it comes. False ends the transfer.
        case stream(@Sendable (UnsafeRawBufferPointer) -> Bool)
    }

    var options: [Option]
    var body = HTTPBody.none
    var sink: Sink
    var limits = HTTPLimits()
    var path: String?
    var onSent: (@Sendable (UInt64) -> Void)?
    /// It uses no connection and no TLS session of another transfer.
    var isAlone = false
}

/// How a transfer ended: what is known, and no judgement.
struct TransferResult: Sendable {
    enum Cause: Sendable {
        case finished
        /// libcurl's code and words.
        case failed(CURLcode, String)
        case stalled(Duration)
        case tooSlow(UInt64)
        case body(DiskError)
        case answerTooLong(Int)
        case headersTooLong
        /// The consumer of the bytes wanted no more.
        case refused
        case cancelled
    }

    var cause: Cause
    /// 0 while no status line has come; of FTP the last code.
    var status = 0
    var headers: [HTTPHeader] = []
    var body: [UInt8] = []
    /// Before that nothing of the request has left.
    var isConnected = false
    var bodyWasSent = false
    /// By a connection that had served another before.
    var isReused = false
    /// OpenSSL's reason against a certificate; 0 for none.
    var certificateProblem = 0
    var systemError: Int32 = 0
    /// What is wrong with the key of an SSH server.
    var hostKey: HostKeyProblem?
    /// What the other side says that the file has, where it was asked.
    var size: Int64 = -1
}

enum HostKeyProblem: Sendable {
    /// None is written down yet.
    case unknown
    /// Another one is written down.
    case changed
}
