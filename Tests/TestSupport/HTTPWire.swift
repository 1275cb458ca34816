import Basics
import Posix

/// One connection of an ``HTTPPeer``. Everything happens on the peer's thread, so nothing of it is guarded.
final class HTTPWire: @unchecked Sendable {
    struct Gone: Error {}

    private enum Rest {
        case none
        case counted(Int)
        case chunked
    }

    private let socket: Socket
    private let reactor: Reactor
    private let continues: Bool
    private var bytes: [UInt8] = []
    private var rest = Rest.none
    private var isContinueDue = false

    init(_ socket: Socket, _ reactor: Reactor, continues: Bool) {
        self.socket = socket
        self.reactor = reactor
        self.continues = continues
    }

    func serve(_ connection: Int, _ handler: HTTPPeer.Handler) async {
        var number = 0
        do {
            while let (line, headers) = try await readHead() {
                number += 1
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 3 else { throw Gone() }
                let request = HTTPPeer.Request(
                    method: words[0], target: words[1], headers: headers, connection: connection,
                    number: number, body: HTTPPeer.Body(wire: self))
                let answer = try await handler(request)
                guard try await give(answer, to: request) else { break }
            }
            socket.close(reset: false, reactor)
        } catch {
            // The other side has gone, or the test wants it gone.
            socket.close(reset: true, reactor)
        }
    }

    /// Reads on, because an end comes behind what was sent before.
    func waitUntilGone() async {
        do {
            while try await receive() { bytes.removeAll(keepingCapacity: true) }
        } catch {
            return
        }
    }

    // MARK: The answer

    private func give(_ answer: HTTPPeer.Answer, to request: HTTPPeer.Request) async throws -> Bool {
        try await write((answer.raw ?? Self.encoded(answer, isHead: request.method == "HEAD"))[...])
        switch answer.after {
        case .goesOn, .endsOrderly:
            while try await readBody() != nil { continue }
            if case .goesOn = answer.after { return true }
            return false
        case .closes: return false
        case .resets: throw Gone()
        case .stalls:
            _ = await reactor.waitHungUp(socket.descriptor, until: nil)
            return false
        }
    }

    private static func encoded(_ answer: HTTPPeer.Answer, isHead: Bool) -> [UInt8] {
        var lines = ["HTTP/1.1 \(answer.status) \(answer.status < 400 ? "Fine" : "Not so")"]
        lines += answer.headers.map { "\($0.name): \($0.value)" }
        var body = isHead ? [] : answer.body
        switch answer.framing {
        case .length: lines.append("Content-Length: \(answer.body.count)")
        case .chunked:
            lines.append("Transfer-Encoding: chunked")
            let middle = answer.body.count / 2
            body = [answer.body[..<middle], answer.body[middle...], []].flatMap { piece in
                Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
            }
        case .untilClosed: lines.append("Connection: close")
        case .asSaid: break
        }
        return Array(lines.map { "\($0)\r\n" }.joined().utf8) + Array("\r\n".utf8) + body
    }

    func write(_ bytes: ArraySlice<UInt8>) async throws {
        var left = bytes
        while !left.isEmpty {
            switch socket.send(left) {
            case .moved(let count): left = left.dropFirst(count)
            case .wouldBlock:
                guard await reactor.waitWritable(socket.descriptor, until: nil) == .ready else {
                    throw Gone()
                }
            case .closedHere, .failed: throw Gone()
            }
        }
    }

    // MARK: The request

    private func readHead() async throws -> (line: String, headers: [HTTPHeader])? {
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                    .split(separator: "\r\n", omittingEmptySubsequences: false)
                bytes.removeFirst(end.upperBound)
                let headers = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return HTTPHeader(String(parts[0]), String(parts.last?.drop { $0 == " " } ?? ""))
                }
                expectBody(headers)
                return (String(lines[0]), headers)
            }
            guard try await receive() else {
                if bytes.isEmpty { return nil }
                throw Gone()
            }
        }
    }

    private func expectBody(_ headers: [HTTPHeader]) {
        func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
        isContinueDue = continues && value("expect")?.lowercased() == "100-continue"
        if value("transfer-encoding")?.lowercased() == "chunked" {
            rest = .chunked
        } else {
            rest = (value("content-length").flatMap { Int($0) }).map { .counted($0) } ?? .none
        }
    }

    func readBody() async throws -> [UInt8]? {
        if isContinueDue, case .counted(1...) = rest {
            isContinueDue = false
            try await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
        }
        switch rest {
        case .none: return nil
        case .counted(let count):
            if count == 0 {
                rest = .none
                return nil
            }
            if bytes.isEmpty, !(try await receive()) { throw Gone() }
            let piece = Array(bytes.prefix(count))
            bytes.removeFirst(piece.count)
            rest = .counted(count - piece.count)
            return piece
        case .chunked: return try await readChunk()
        }
    }

    private func readChunk() async throws -> [UInt8]? {
        guard let size = Int(try await readLine(), radix: 16) else { throw Gone() }
        while bytes.count < size + 2 { guard try await receive() else { throw Gone() } }
        let piece = Array(bytes.prefix(size))
        bytes.removeFirst(size + 2)
        if size > 0 { return piece }
        rest = .none
        return nil
    }

    private func readLine() async throws -> String {
        while true {
            if let end = bytes.firstRange(of: Array("\r\n".utf8)) {
                defer { bytes.removeFirst(end.upperBound) }
                return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            }
            guard try await receive() else { throw Gone() }
        }
    }

    /// False at the end.
    private func receive() async throws -> Bool {
        while true {
            let outcome = withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 1) { memory in
                let outcome = socket.receive(memory, nil)
                if case .moved(let count) = outcome { bytes += memory[..<count] }
                return outcome
            }
            switch outcome {
            case .moved(let count): return count > 0
            case .wouldBlock:
                guard await reactor.waitReadable(socket.descriptor, until: nil) == .ready else {
                    throw Gone()
                }
            case .closedHere, .failed: throw Gone()
            }
        }
    }
}
