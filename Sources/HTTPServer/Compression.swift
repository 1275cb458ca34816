import Basics
import Synchronization

/// Whether a body of text may go compressed.
package enum Compression: Sendable {
    /// What is secret stands beside what a request has said: the length would tell of one by the other (BREACH).
    case never
    /// For each answer anew.
    case each
    /// Once for all answers with this body.
    case once(KeptCompression)
}

/// A body that is always the same, compressed when the first client wants it so.
package final class KeptCompression: Sendable {
    private enum Known {
        case notYet
        case known([UInt8]?)
    }

    private let state = Mutex(Known.notYet)

    package init() {}

    /// `body` is the same each time.
    func bytes(of body: [UInt8]) -> [UInt8]? {
        state.withLock { state in
            if case .known(let bytes) = state { return bytes }
            let bytes = Gzip.compressed(body)
            state = .known(bytes)
            return bytes
        }
    }
}

extension Response {
    /// A smaller body takes one packet either way.
    static let smallestCompressed = 1024

    /// As this client wants it. What could be compressed says so to caches, also where it is not; its tag is a weak one,
    /// since one tag stands for two rows of bytes then.
    func encoded(for request: Request) -> Response {
        if status == 304 { return isOfText ? saying("Vary", "Accept-Encoding") : self }
        guard case .bytes(let bytes) = body, bytes.count >= Self.smallestCompressed, isText,
            !says("Content-Encoding")
        else { return self }
        if case .never = compression { return self }
        var answer = saying("Vary", "Accept-Encoding")
        answer.weakenTag()
        guard AcceptedCodings(request.headers).takesGzip, let compressed = compressed(bytes) else {
            return answer
        }
        answer.body = .bytes(compressed)
        return answer.saying("Content-Encoding", "gzip")
    }

    private func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        switch compression {
        case .never: nil
        case .each: Gzip.compressed(bytes)
        case .once(let kept): kept.bytes(of: bytes)
        }
    }

    /// "Not modified" says no type; only what may be compressed has a weak tag here.
    private var isOfText: Bool { headers.contains { $0.isNamed("ETag") && $0.value.hasPrefix("W/") } }

    private var isText: Bool {
        guard let type = headers.first(where: { $0.isNamed("Content-Type") })?.value else { return false }
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        // Events are never text that has an end.
        if name == "text/event-stream" { return false }
        return name.hasPrefix("text/") || name == "application/json" || name.hasSuffix("+json")
            || name.hasSuffix("+xml")
    }

    private func says(_ name: String) -> Bool { headers.contains { $0.isNamed(name) } }

    private func saying(_ name: String, _ value: String) -> Response {
        var answer = self
        answer.headers.append(HTTPHeader(name, value))
        return answer
    }

    private mutating func weakenTag() {
        guard let index = headers.firstIndex(where: { $0.isNamed("ETag") && $0.value.hasPrefix("\"") })
        else { return }
        headers[index] = HTTPHeader("ETag", EntityTag.weak(headers[index].value))
    }
}
