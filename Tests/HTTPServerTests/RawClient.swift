import Basics
import Glibc

/// One connection as a client that sends what it likes. It blocks, so it is used aside.
final class RawClient: @unchecked Sendable {
    struct Answer: Equatable, Sendable {
        var status = 0
        var headers: [HTTPHeader] = []
        var body: [UInt8] = []
        /// Whether the body ended as the headers say.
        var isWhole = true

        subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct Failed: Error {
        let what: String
        let number: Int32
    }

    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var hasEnded = false

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        // A client that waits longer has failed.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
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
        guard result == 0 else { throw Failed(what: "connect", number: errno) }
    }

    deinit {
        close()
    }

    /// From now on it takes more at a time.
    func widen() {
        var size: Int32 = 4 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private var isClosed = false

    func close() {
        if !isClosed { Glibc.close(descriptor) }
        isClosed = true
    }

    /// Broken off instead of ended.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failed(what: "send", number: errno) }
            sent += count
        }
    }

    // MARK: Reading

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            bytes += buffer[..<count]
        } else if count == 0 || errno == ECONNRESET {
            hasEnded = true
        } else {
            throw Failed(what: "nothing came", number: errno)
        }
    }

    /// Blocks until the other side has closed.
    func waitForEnd() throws {
        while !hasEnded { try receive() }
    }

    /// Everything that has come and comes until that text.
    func read(until text: String) throws -> String {
        let mark = Array(text.utf8)
        var searched = 0
        while true {
            if let end = bytes[searched...].firstRange(of: mark) {
                defer { bytes.removeFirst(end.upperBound) }
                return String(decoding: bytes[..<end.upperBound], as: UTF8.self)
            }
            searched = max(0, bytes.count - mark.count)
            guard !hasEnded else { throw Failed(what: "it ended before \(text)", number: 0) }
            try receive()
        }
    }

    /// The first line of an answer, or nothing where the connection ended.
    func textUntilAnswered() throws -> String {
        while bytes.isEmpty, !hasEnded { try receive() }
        return String(decoding: bytes, as: UTF8.self)
    }

    func textToTheEnd() throws -> String {
        try waitForEnd()
        return String(decoding: bytes, as: UTF8.self)
    }

    func answersToTheEnd() throws -> [Answer] {
        try waitForEnd()
        var answers: [Answer] = []
        while !bytes.isEmpty { answers.append(try answer()) }
        return answers
    }

    func answer(isHead: Bool = false) throws -> Answer {
        let head = try read(until: "\r\n\r\n").split(separator: "\r\n")
        guard let words = head.first?.split(separator: " "), words.count >= 2, words[0] == "HTTP/1.1" else {
            throw Failed(what: "no answer: \(head)", number: 0)
        }
        var answer = Answer()
        answer.status = Int(words[1]) ?? 0
        answer.headers = head.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPHeader(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        if isHead || answer.status < 200 || answer.status == 204 || answer.status == 304 { return answer }
        if answer["Transfer-Encoding"] == "chunked" {
            try readChunks(into: &answer)
        } else if let length = answer["Content-Length"].flatMap({ Int($0) }) {
            while bytes.count < length, !hasEnded { try receive() }
            answer.isWhole = bytes.count >= length
            answer.body = Array(bytes.prefix(length))
            bytes.removeFirst(answer.body.count)
        }
        return answer
    }

    private func readChunks(into answer: inout Answer) throws {
        while true {
            while bytes.firstRange(of: [13, 10]) == nil, !hasEnded { try receive() }
            guard let end = bytes.firstRange(of: [13, 10]),
                let size = Int(String(decoding: bytes[..<end.lowerBound], as: UTF8.self), radix: 16)
            else {
                answer.isWhole = false
                return
            }
            while bytes.count < end.upperBound + size + 2, !hasEnded { try receive() }
            answer.body += bytes[end.upperBound...].prefix(size)
            answer.isWhole = bytes.count >= end.upperBound + size + 2
            bytes.removeFirst(min(bytes.count, end.upperBound + size + 2))
            if size == 0 || !answer.isWhole { return }
        }
    }
}
