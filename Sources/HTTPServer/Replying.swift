import Basics
import Posix
import Synchronization

/// From an answer as a value to one that the library can send.
extension Core {
    /// At most so many bodies are pulled at a time: each has a thread.
    static let mostPumps = 64

    /// Nil where the system has no memory or descriptor for it; the connection is cut then. `isOwn`: something is added to
    /// it that is this request's alone.
    func reply(to request: Request, with response: Response, on wire: Wakeable, isOwn: Bool) -> Reply? {
        switch response.body {
        case .none: return plain(response, Reply.empty(response.status))
        case .bytes(let bytes): return plain(response, Reply.bytes(response.status, bytes))
        case .file(let file): return self.file(file, of: response, to: request, isOwn: isOwn)
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

    private func file(_ file: ServedFile, of response: Response, to request: Request, isOwn: Bool) -> Reply? {
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
        case .whole:
            return open(file, for: request) { openFile in
                if isOwn { return whole(openFile, of: file, response) }
                if let kept = openFile.kept.withLock(\.self), kept.isAnswer(response, of: file) {
                    return Reply(kept)
                }
                return keep(whole(openFile, of: file, response), openFile, of: file, response)
            }
        case .part(let range):
            return open(file, for: request) { openFile in
                let reply = Reply.part(206, of: openFile, range)
                let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
                reply?.add("Content-Range", place)
                return about(file, response, reply)
            }
        }
    }

    private func whole(_ openFile: OpenFileCache.OpenFile, of file: ServedFile, _ response: Response)
        -> Reply?
    {
        about(file, response, Reply.part(response.status, of: openFile, 0..<file.size))
    }

    /// What is read from a descriptor is sent from a descriptor of its own.
    private func keep(
        _ reply: consuming Reply?, _ openFile: OpenFileCache.OpenFile, of file: ServedFile,
        _ response: Response
    ) -> Reply? {
        guard case .memory = openFile.content else { return reply }
        guard let reply else { return nil }
        let kept = reply.keep(for: file, response)
        openFile.kept.withLock { $0 = kept }
        return Reply(kept)
    }

    private func open(
        _ file: ServedFile, for request: Request, _ reply: (OpenFileCache.OpenFile) -> Reply?
    ) -> Reply? {
        do {
            guard let reply = reply(try shelf.openFile(of: file)) else {
                return refused(
                    refusal(503, "too many files are open; come back in a moment", untilRoomAmong: 0), request
                )
            }
            return reply
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
