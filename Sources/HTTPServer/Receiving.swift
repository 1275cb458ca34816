import Basics
import CMicrohttpd
import Synchronization

/// What the library's calls lead to.
extension Exchange {
    /// Bodies that were not asked for, and the rest of those that failed, are read up to here, so that the connection can
    /// be used again or the answer is read at all.
    static let mostDiscarded: UInt64 = 1 << 20
    static let mostHeaders = 100

    /// False where the connection has to be cut.
    func proceed(method: String, version: String, piece: UnsafeRawBufferPointer) -> Bool {
        if isAbandoned || core.isClosed { return false }
        if !piece.isEmpty { return receive(piece) }
        switch phase {
        case .expectingHeaders: return begin(method, version)
        case .discarding(_, .answer(let response)): return answer(response)
        case .discarding(_, .quick(let handler)): return answer(handler(request))
        case .discarding(_, .quickOr(let handler, let other)):
            if let response = handler(request) { return answer(response) }
            let request = request
            think { .answer(await other(request)) }
            phase = .expectingAnswer
            return goOn()
        case .collecting(_, let handler):
            let whole = request.with(body: body)
            body = []
            think { .answer(await handler(whole)) }
            phase = .expectingAnswer
            return goOn()
        case .storing(let sink):
            think { .answer(await sink.finish()) }
            phase = .expectingAnswer
            return goOn()
        case .asking, .expectingAnswer: return goOn()
        case .answered: return true
        case .handedOver: return false
        }
    }

    /// With what a handler has come to, if it has.
    private func goOn() -> Bool {
        guard let outcome = awaitOutcome() else { return !isAbandoned }
        switch outcome {
        case .answer(let response): return answer(response)
        case .intake(.refuse(let response)): return answerEarly(response)
        case .intake(.take(let sink, let limit)):
            if case .counted(let count) = framing, count > limit {
                sink.abandon()
                return refuse(413, "the body is longer than the \(limit) bytes that are taken here")
            }
            phase = .storing(sink)
            expectBody()
            return true
        }
    }

    // MARK: The head

    private func begin(_ method: String, _ version: String) -> Bool {
        count()
        let headers = readHeaders()
        framing = Framing(headers, version: version)
        request = Request(
            id: requestID(in: headers), method: method, path: request.path,
            headers: headers,
            client: ClientAddress(
                connection: connection.peer, headers: headers, trusted: core.settings.trustedProxies))
        connection.owes(.nothing)
        if case .refused(let reason) = framing { return refuse(400, reason) }
        guard headers.count <= Self.mostHeaders, tl_mhd_header_size(handle) <= core.settings.headerLimit
        else {
            return refuse(431, "the headers are longer, or more, than what is taken here")
        }
        guard takePlace() else {
            let count = core.connections.count
            return answerEarly(
                core.refusal(
                    429, "too many requests of this address are under way; come back in a moment",
                    untilRoomAmong: count))
        }
        if let known = core.recent.find(target, method) { return go(to: known) }
        let taken: Target
        do {
            taken = try Target(target)
        } catch {
            switch error {
            case .malformed(let reason): return refuse(400, reason)
            case .tooLong: return refuse(400, "the path or the query is longer than what is taken here")
            }
        }
        return route(taken)
    }

    private func go(to found: RecentTargets.Found) -> Bool {
        route = found.route
        (request.path, request.query) = (found.target.path, found.target.query)
        request.parameters = found.parameters
        return prepare(found.route.handler)
    }

    private func route(_ target: Target) -> Bool {
        (request.path, request.query) = (target.path, target.query)
        switch core.table.find(request.method, target.parts) {
        case .found(let route, let parameters):
            let found = RecentTargets.Found(target: target, route: route, parameters: parameters)
            core.recent.keep(found, self.target, request.method)
            return go(to: found)
        case .otherMethod(let methods): return answerOther(methods)
        case .unknown where target.path == "*" && request.method == "OPTIONS":
            return answerOther(core.table.everyMethod)
        case .unknown:
            let other = core.answers.elsewhere?(request, target.parts)
            return answerEarly(other ?? core.refusal(404, "there is nothing at this path"))
        }
    }

    private func answerOther(_ methods: [String]) -> Bool {
        let allow = HTTPHeader("Allow", RoutingTable.allow(methods))
        if request.method == "OPTIONS" { return answerEarly(Response(status: 204, headers: [allow])) }
        var response = core.refusal(405, "this path has no method \(request.method)")
        response.headers.append(allow)
        return answerEarly(response)
    }

    /// An answer given to the first call ends the connection, so without a body it waits for the second. A small body that is
    /// on its way is read before: what is closed with bytes unread is reset, and the answer may be lost with it. A client
    /// that asks first sends none.
    private func answerEarly(_ response: Response) -> Bool {
        switch framing {
        case .none: phase = .discarding(atMost: 0, then: .answer(response))
        case .counted(let count) where count <= Self.mostDiscarded && request["Expect"] == nil:
            phase = .discarding(atMost: Self.mostDiscarded, then: .answer(response))
            expectBody()
        default: return answer(response, closing: true)
        }
        return true
    }

    private func prepare(_ handler: Route.Handler) -> Bool {
        switch handler {
        case .quick(let handler):
            if case .counted(let count) = framing, count > Self.mostDiscarded {
                return refuse(413, "this takes no body")
            }
            phase = .discarding(atMost: Self.mostDiscarded, then: .quick(handler))
        case .quickOr(let handler, let other):
            if case .counted(let count) = framing, count > Self.mostDiscarded {
                return refuse(413, "this takes no body")
            }
            phase = .discarding(atMost: Self.mostDiscarded, then: .quickOr(handler, otherwise: other))
        case .whole(let limit, let handler):
            if case .counted(let count) = framing {
                if count > UInt64(limit) { return refuseLength(limit) }
                // The rest when it comes: a length is only a claim.
                body.reserveCapacity(min(Int(count), 64 << 10))
            }
            phase = .collecting(limit: limit, handler)
        case .intake(let handler):
            if framing == .chunked { return refuse(411, "the length of the body has to be said before") }
            let request = request
            phase = .asking
            think { .intake(await handler(request)) }
            return goOn()
        }
        expectBody()
        return true
    }

    private func refuseLength(_ limit: Int) -> Bool {
        refuse(413, "the body is longer than the \(limit) bytes that are taken here")
    }

    private func expectBody() {
        if framing != .none { connection.owes(.body(since: core.time.now, count: 0)) }
    }

    // MARK: The body

    private func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        received += UInt64(piece.count)
        connection.state.withLock { $0.received = received }
        switch phase {
        case .discarding(let limit, _): return received <= limit
        case .collecting(let limit, _):
            guard body.count + piece.count <= limit else {
                body = []
                return failBody(413, "the body is longer than the \(limit) bytes that are taken here")
            }
            body.append(contentsOf: piece)
            return true
        case .storing(let sink):
            do {
                try sink.write(piece)
                return true
            } catch {
                // What went wrong is the sink's to tell.
                sink.abandon()
                return failBody(500, "the body could not be kept")
            }
        case .expectingHeaders, .asking, .expectingAnswer, .answered, .handedOver: return false
        }
    }

    /// The library takes no answer in the middle of a body, so a little more of it is read.
    private func failBody(_ status: Int, _ message: String) -> Bool {
        phase = .discarding(
            atMost: received + Self.mostDiscarded, then: .answer(core.refusal(status, message)))
        return true
    }
}
