import Basics

/// An answer as it comes in.
struct Answer {
    enum Fault: Sendable {
        case tooLong(Int)
        case headersTooLong
        case refused
    }

    /// More headers than this are no answer to anything that is asked here.
    static let mostHeaders = 256
    static let mostHeaderBytes = 128 << 10
    private static let farewell = 221

    private let sink: Order.Sink
    private(set) var status = 0
    private(set) var headers: [HTTPHeader] = []
    private(set) var body: [UInt8] = []
    private(set) var fault: Fault?
    private var headerBytes = 0
    private var areHeadersOver = false

    init(_ sink: Order.Sink) {
        self.sink = sink
    }

    /// One line with its end, as libcurl gives it. False ends the transfer.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard case .answer = sink else {
            takeReply(line)
            return true
        }
        // What an SFTP server says of its disk comes in one piece.
        if line.starts(with: "statvfs:".utf8) {
            for fact in line.split(separator: UInt8(ascii: "\n")).dropFirst().prefix(Self.mostHeaders) {
                add(fact)
            }
            return true
        }
        headerBytes += line.count
        let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if text.starts(with: "HTTP/".utf8) {
            // An interim answer, or the one of a proxy, was before.
            (status, headers, headerBytes, areHeadersOver) = (Self.status(in: text), [], line.count, false)
        } else if text.isEmpty {
            areHeadersOver = true
        } else if !areHeadersOver {
            add(text)
        }
        guard headers.count <= Self.mostHeaders, headerBytes <= Self.mostHeaderBytes else {
            fault = .headersTooLong
            return false
        }
        return true
    }

    /// RFC 959 §4.2: "a three digit number […] followed by some text". What is said to a farewell is no reply to anything.
    private mutating func takeReply(_ line: UnsafeRawBufferPointer) {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let code = Int(String(decoding: digits, as: UTF8.self)), code != Self.farewell
        else { return }
        status = code
    }

    private mutating func add(_ text: Slice<UnsafeRawBufferPointer>) {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        func word(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
            String(
                decoding: bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self
            )
        }
        if text.first.map(isBlank) == true, let last = headers.popLast() {
            // An old way of writing long values.
            headers.append(HTTPHeader(last.name, "\(last.value) \(word(text))"))
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            headers.append(HTTPHeader(word(text[..<colon]), word(text[(colon + 1)...])))
        }
    }

    private static func status(in line: Slice<UnsafeRawBufferPointer>) -> Int {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
    }

    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch sink {
        case .stream(let take):
            if take(bytes) { return true }
            fault = .refused
        case .answer(let limit):
            let room = limit - body.count
            body.append(contentsOf: bytes.prefix(room))
            if bytes.count <= room { return true }
            fault = .tooLong(limit)
        }
        return false
    }
}
