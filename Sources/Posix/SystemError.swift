import Glibc

/// A system call that failed: which one, why, and on what.
public struct SystemError: Error, Equatable, Sendable {
    public let call: String
    public let number: Int32
    /// The file, peer or interface it was about.
    public let subject: String

    public init(_ call: String, _ number: Int32, on subject: String) {
        self.call = call
        self.number = number
        self.subject = subject
    }

    /// The system's own sentence.
    public var reason: String { String(cString: strerror(number)) }
}

extension SystemError: CustomStringConvertible {
    public var description: String {
        "\(subject): \(call) failed: \(reason)\(advice.map { ". \($0)" } ?? "")"
    }

    /// What the operator can do, where the number alone says it.
    public var advice: String? {
        switch number {
        case ENOSPC, EDQUOT: "Free some space there, or choose another folder."
        case EROFS: "That place is mounted read-only; choose another folder."
        case EACCES, EPERM: "Give this user the right to it, or choose another."
        case EIO: "The disk reports an error; do not trust it with photos."
        case EMFILE, ENFILE: "Too many files are open; raise the limit with ulimit -n."
        case EFBIG: "The file is larger than the file system or the limit (ulimit -f) allows."
        case ENOENT: "Check the name."
        case EADDRINUSE: "Another program has that address; end it, or choose another."
        case EADDRNOTAVAIL: "No network of this machine has that address."
        case ENOTDIR: "A part of that path is a file where a folder is meant."
        case ENAMETOOLONG: "Choose a folder with a shorter path."
        default: nil
        }
    }
}

extension SystemError {
    /// What an error number means for keeping files.
    package enum Kind: Sendable {
        case noRoom
        /// Larger than the file system or a limit allows.
        case tooLarge
        /// The disk itself.
        case failing
        case notAllowed
        case missing
        case tooManyOpen
        case other
    }

    package var kind: Kind {
        switch number {
        case ENOSPC, EDQUOT: .noRoom
        case EFBIG: .tooLarge
        case EIO: .failing
        case EACCES, EPERM, EROFS: .notAllowed
        case ENOENT, ENOTDIR, ESTALE: .missing
        case EMFILE, ENFILE: .tooManyOpen
        default: .other
        }
    }

    /// What an error number means to a connection.
    package enum ConnectionKind: Sendable {
        /// The peer broke it off, or it was gone before it was taken.
        case connectionBroken
        /// The host is there and says that nothing listens.
        case refused
        /// Keepalive got no answer.
        case peerSilent
        case other

        package init(_ number: Int32) {
            switch number {
            case ECONNRESET, EPIPE, ECONNABORTED: self = .connectionBroken
            case ECONNREFUSED: self = .refused
            case ETIMEDOUT, EHOSTUNREACH: self = .peerSilent
            default: self = .other
            }
        }
    }
}

/// Calls until it is not interrupted by a signal: the only place where EINTR is looked at.
@discardableResult
package func check<Value: FixedWidthInteger & SignedInteger>(
    _ call: @autoclosure () -> String, on subject: @autoclosure () -> String, _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        if value != -1 { return value }
        let number = errno
        if number != EINTR { throw SystemError(call(), number, on: subject()) }
    }
}

extension SystemError {
    /// The other end has gone.
    package var isHangUp: Bool { ConnectionKind(number) == .connectionBroken }
    /// What was waited for has not come in time.
    package var isTooLate: Bool { number == ETIMEDOUT }
}
