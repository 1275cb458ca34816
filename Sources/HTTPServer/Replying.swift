import Basics
import Posix
import Synchronization

/// From an answer as a value to one that the library can send.
extension Core {
    /// At most so many bodies are pulled at a time: each has a thread.
    static let mostPumps = 64

    /// Nil where the system has no memory or descriptor for it; the connection is cut then.
    func reply(to request: Request, with response: Response, on wire: Wakeable) -> Reply? {
        switch response.body {
        case .none: return plain(response, Reply.empty(response.status))
        case .bytes(let bytes): return plain(response, Reply.bytes(response.status, bytes))
        case .file(let file): return self.file(file, of: response, to: request)
        case .events(let stream):
            if request.method == "HEAD" {
                return plain(response, Reply.headOnly(response.status, length: .max))
            }
            stream.attach(wire, greeting: comingBack.line(among: connections.count))
            let reply = Reply.reading(response.status, ResponseBodyReader(.events(stream), wire), length: nil)
            reply?.add(Self.headers(ofStream: response))
            return reply
        case .stream(let source): return self.stream(source, of: response, to: request, on: wire)
        }
    }

    private func plain(_ response: Response, _ reply: consuming Reply?) -> Reply? {
        reply?.add(response.headers)
        return reply
    }

    /// Instead of what the handler wanted.
    private func refused(_ refusal: Response, _ request: Request) -> Reply? {
        let answer = finished(refusal, for: request)
        return plain(answer, Reply.bytes(answer.status, answer.bytes))
    }

    // MARK: Streams

    private func stream(
        _ source: any BodySource, of response: Response, to request: Request, on wire: Wakeable
    ) -> Reply? {
        let length = response.headers.first { $0.name.lowercased() == "content-length" }.flatMap {
            UInt64($0.value)
        }
        if request.method == "HEAD" {
            source.close()
            return plain(response, Reply.headOnly(response.status, length: length ?? .max))
        }
        guard pumps.add(1, ordering: .relaxed).newValue <= Self.mostPumps else {
            pumps.subtract(1, ordering: .relaxed)
            source.close()
            return refused(
                refusal(503, "too many long answers are under way; come back in a moment", untilRoomAmong: 0),
                request)
        }
        let pump = BodyPump(source, wire)
        let reply = Reply.reading(response.status, ResponseBodyReader(.pump(pump), wire), length: length)
        pump.start { [self] in pumps.subtract(1, ordering: .relaxed) }
        if reply == nil { pump.abandon() }
        return plain(response, reply)
    }

    // MARK: Files

    private func file(_ file: ServedFile, of response: Response, to request: Request) -> Reply? {
        // Conditions are about what is there, not about an answer that says something else.
        let plan = response.status == 200 ? FilePlan(file, request).answer : .whole
        let isHead = request.method == "HEAD"
        switch plan {
        case .notModified: return about(file, response, Reply.headOnly(304, length: file.size))
        case .unsatisfiable:
            let reply = refused(refusal(416, "the file ends before that range"), request)
            reply?.add("Content-Range", "bytes */\(file.size)")
            reply?.add("Accept-Ranges", "bytes")
            return reply
        case .whole where isHead:
            return about(file, response, Reply.headOnly(response.status, length: file.size))
        case .whole: return open(file, 0..<file.size, response.status, response, to: request)
        case .part(let range):
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
            return open(file, range, 206, response, to: request, [HTTPHeader("Content-Range", place)])
        }
    }

    private func open(
        _ file: ServedFile, _ range: Range<UInt64>, _ status: Int, _ response: Response, to request: Request,
        _ headers: [HTTPHeader] = []
    ) -> Reply? {
        do {
            let openFile = try shelf.openFile(of: file)
            guard let reply = Reply.part(status, of: openFile, range) else {
                return refused(
                    refusal(503, "too many files are open; come back in a moment", untilRoomAmong: 0), request
                )
            }
            reply.add(headers)
            return about(file, response, reply)
        } catch {
            let isGone = error.kind == .missing
            return refused(
                refusal(
                    isGone ? 404 : 500,
                    isGone ? "the file is not there any more" : "the file cannot be read"), request)
        }
    }

    private func about(_ file: ServedFile, _ response: Response, _ reply: consuming Reply?) -> Reply? {
        reply?.add("Content-Type", file.type)
        reply?.add("ETag", file.etag)
        reply?.add("Accept-Ranges", "bytes")
        if let modified = file.modified { reply?.add("Last-Modified", modified.httpDate) }
        reply?.add(response.headers)
        return reply
    }
}

extension Response {
    /// Of a refusal, which is never anything else.
    var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }
}
