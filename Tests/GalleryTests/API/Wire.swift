import Basics
import Glibc
import TestSupport

/// One connection to the program, by which anything at all can be sent. It blocks.
final class Wire {
    private let descriptor: Int32

    struct Answer: Sendable {
        /// 0 where the connection ended without an answer.
        let status: Int
        let head: String
        let text: String
        /// All that came, where more than one answer was asked for.
        let all: String

        var json: JSONValue {
            do throws(JSON5Error) { return try JSON5.parse(text) } catch { return .null }
        }
        var data: JSONValue? { json["data"] }
        subscript(key: String) -> JSONValue? { data?[key] }
        var code: String? { json["error"]?["code"]?.string }
    }

    init(_ port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // A client that waits longer has failed.
        var limit = timeval(tv_sec: 40, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Surprise("no server listens at \(port)") }
    }

    deinit { close(descriptor) }

    /// False once the other side takes nothing more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether anything comes within that time, or the end.
    func hears(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }

    /// All that comes until the other side closes.
    func answer() throws -> Answer {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                bytes += buffer[..<count]
                guard bytes.count < 64 << 20 else { throw Surprise("it does not stop") }
            } else if count == 0 || errno == ECONNRESET {
                break
            } else {
                throw Surprise("nothing came for forty seconds")
            }
        }
        let all = String(decoding: bytes, as: UTF8.self)
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        let head = String(decoding: bytes[..<(end?.lowerBound ?? bytes.endIndex)], as: UTF8.self)
        let words = head.split(separator: " ", maxSplits: 2)
        return Answer(
            status: words.count > 1 ? Int(words[1]) ?? 0 : 0, head: head,
            text: String(decoding: bytes[(end?.upperBound ?? bytes.endIndex)...], as: UTF8.self), all: all)
    }

    /// Bytes as they are, and what comes back to the end.
    func exchange(_ bytes: [UInt8]) throws -> Answer {
        send(bytes)
        return try answer()
    }

    func exchange(_ text: String) throws -> Answer { try exchange(Array(text.utf8)) }

    static func head(_ method: String, _ target: String, _ headers: [(String, String)]) -> String {
        let host = headers.contains { $0.0 == "Host" } ? "" : "Host: gallery.example\r\n"
        return "\(method) \(target) HTTP/1.1\r\n\(host)Connection: close\r\n"
            + headers.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    }

    func ask(
        _ method: String, _ target: String, token: String? = nil, headers: [(String, String)] = [],
        bytes: [UInt8]? = nil, body: String? = nil
    ) throws -> Answer {
        let body = bytes ?? body.map { Array($0.utf8) }
        var all = headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if let body { all += [("Content-Length", "\(body.count)"), ("Content-Type", "application/json")] }
        return try exchange(Array(Self.head(method, target, all).utf8) + (body ?? []))
    }

    func put(_ target: String, _ headers: [(String, String)], _ bytes: [UInt8]) throws -> Answer {
        try exchange(Array(Self.head("PUT", target, headers).utf8) + bytes)
    }
}
