import Basics

/// One fetch, and those who wait for it.
final class Flight {
    struct Key: Hashable {
        let cacheKey: String
        let url: String
        let owner: ImageOwner
        let object: ImageObject
    }

    let key: Key
    let request: ImageRequest
    /// What the gallery is asked about, where a copy is here that may be old.
    let known: ImageRow?
    var askers: [UInt64: CheckedContinuation<Result<CachedImage, ImageProblem>, Never>] = [:]
    var task: Task<Void, Never>?

    init(_ key: Key, _ request: ImageRequest, _ known: ImageRow?) {
        self.key = key
        self.request = request
        self.known = known
    }
}

/// The network's side: one fetch for each image, a few at a time.
extension ImageCache {
    func fetch(_ request: ImageRequest, _ known: ImageRow?) async -> Result<CachedImage, ImageProblem> {
        guard askers < limits.mostAskers else { return .failure(request.problem(.busy)) }
        lastAsker += 1
        let asker = lastAsker
        let key = Flight.Key(
            cacheKey: ImageRequest.cacheKey(of: request.key), url: request.url, owner: request.owner,
            object: request.object)
        askers += 1
        defer { askers -= 1 }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(request.problem(.cancelled)))
                } else {
                    flight(key, request, known).askers[asker] = continuation
                    startFetches()
                    show()
                }
            }
        } onCancel: {
            Task { await self.leave(key, asker) }
        }
    }

    private func flight(_ key: Flight.Key, _ request: ImageRequest, _ known: ImageRow?) -> Flight {
        if let flight = flights[key] {
            counts.shared += 1
            return flight
        }
        let flight = Flight(key, request, known)
        flights[key] = flight
        line.append(flight)
        return flight
    }

    private func startFetches() {
        while runningFetches < limits.mostFetches, !line.isEmpty {
            let flight = line.removeFirst()
            runningFetches += 1
            flight.task = Task {
                let result = await self.outcome(of: flight)
                self.runningFetches -= 1
                self.finish(flight, result)
                self.startFetches()
                self.show()
            }
        }
    }

    private func finish(_ flight: Flight, _ result: Result<CachedImage, ImageProblem>) {
        guard flights[flight.key] === flight else { return }
        flights[flight.key] = nil
        line.removeAll { $0 === flight }
        for asker in flight.askers.values { asker.resume(returning: result) }
        flight.askers = [:]
    }

    private func leave(_ key: Flight.Key, _ asker: UInt64) {
        guard let flight = flights[key], let continuation = flight.askers.removeValue(forKey: asker) else {
            return
        }
        continuation.resume(returning: .failure(flight.request.problem(.cancelled)))
        guard flight.askers.isEmpty else { return }
        flight.task?.cancel()
        finish(flight, .failure(flight.request.problem(.cancelled)))
    }

    /// What these would bring may not be shown any more: nothing of it is kept, and those who wait are told.
    func takeBack(where isMeant: (ImageRequest) -> Bool) {
        for flight in Array(flights.values) where isMeant(flight.request) {
            flight.task?.cancel()
            let meaning: ImageProblem.Meaning =
                isEnded ? .cancelled : access.includes(flight.request.owner) ? .gone : .foreign
            finish(flight, .failure(flight.request.problem(meaning)))
        }
    }

    // MARK: One fetch

    /// "Clients should detect infinite redirection"; a gallery leads to its bucket, once.
    private static let mostRedirects = 3
    /// Bytes a second over a minute; a way that is slower brings no image to a screen.
    private static let leastRate: UInt64 = 500

    private func outcome(of flight: Flight) async -> Result<CachedImage, ImageProblem> {
        var request = HTTPRequest(
            "GET", flight.request.url, headers: flight.request.headers + (flight.known?.conditions ?? []),
            answerLimit: limits.largestImage, redirects: Self.mostRedirects)
        request.limits.minimumRate = Self.leastRate
        counts.fetches += 1
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await parts.transport.send(request)
        } catch {
            return flights[flight.key] === flight ? withoutAnswer(error, flight) : cancelled(flight)
        }
        // Taken back while it was on its way: nothing of it stays.
        guard flights[flight.key] === flight else { return cancelled(flight) }
        return judge(response, flight)
    }

    private func cancelled(_ flight: Flight) -> Result<CachedImage, ImageProblem> {
        .failure(flight.request.problem(.cancelled))
    }

    private func judge(_ response: HTTPResponse, _ flight: Flight) -> Result<CachedImage, ImageProblem> {
        let request = flight.request
        switch response.status {
        case 200: return taken(response, request)
        case 304: return confirmed(response, flight)
        case 404, 410:
            counts.failures += 1
            drop([flight.key.cacheKey])
            return .failure(request.problem(.gone))
        case 408, 425, 429, 500...599:
            let wait = response.retryAfter(at: parts.wall.wallNow)
            return old(flight) ?? failure(request.problem(.unreachable, retryAfter: wait))
        case 400..<500: return failure(request.problem(.refused(status: response.status)))
        default: return failure(request.problem(.unusable))
        }
    }

    private func failure(_ problem: ImageProblem) -> Result<CachedImage, ImageProblem> {
        counts.failures += 1
        return .failure(problem)
    }

    private func taken(_ response: HTTPResponse, _ request: ImageRequest) -> Result<CachedImage, ImageProblem>
    {
        guard let type = ImageType.shown(response["Content-Type"]), !response.body.isEmpty else {
            return failure(request.problem(.unusable))
        }
        let now = parts.wall.wallNow
        counts.bytesFetched += UInt64(response.body.count)
        let freshness = ImageFreshness(response, neverChanges: request.neverChanges, at: now)
        let row = ImageRow(request, response, type: type, freshness, at: now)
        if freshness.mayBeKept {
            memory.put(MemoryShelf.Held(row: row, bytes: response.body))
            disk.keep(row, response.body)
        } else {
            drop([row.cacheKey])
        }
        return .success(CachedImage(row, response.body, .network))
    }

    /// "Not modified": what is here is right, and for how long is said anew.
    private func confirmed(_ response: HTTPResponse, _ flight: Flight) -> Result<CachedImage, ImageProblem> {
        guard var row = flight.known, let bytes = copy(of: row) else {
            // It was not asked whether anything is, or what it confirms has gone meanwhile.
            return failure(flight.request.problem(.unreachable))
        }
        counts.revalidated += 1
        let now = parts.wall.wallNow
        let freshness = ImageFreshness(response, neverChanges: flight.request.neverChanges, at: now)
        (row.freshUntil, row.mayBeStale) = (freshness.until, freshness.mayBeStale)
        row.expiresAt = flight.request.expiresAt
        renew(row)
        return .success(CachedImage(row, bytes, .network))
    }

    private func withoutAnswer(
        _ error: HTTPFailure, _ flight: Flight
    ) -> Result<CachedImage, ImageProblem> {
        if let old = old(flight) { return old }
        let problem = flight.request.problem(.unreachable)
        switch error {
        case .unreadable, .invalid, .body:
            return failure(
                ImageProblem(.unusable, "\(flight.request.problem(.unusable).description): \(error)"))
        case .cancelled: return .failure(flight.request.problem(.cancelled))
        case .unreachable, .certificate, .broken:
            return failure(ImageProblem(.unreachable, "\(problem.description): \(error)"))
        }
    }

    /// "A cache MUST NOT send stale responses unless it is disconnected" (RFC 9111 §4.2.4), and then only where the answer
    /// has not forbidden it.
    private func old(_ flight: Flight) -> Result<CachedImage, ImageProblem>? {
        guard let row = flight.known, row.mayBeStale, let bytes = copy(of: row) else { return nil }
        return .success(CachedImage(row, bytes, .disk, isStale: true))
    }

    private func copy(of row: ImageRow) -> [UInt8]? {
        if let held = memory.peek(row.cacheKey), held.row.sha256 == row.sha256 { return held.bytes }
        return disk.bytes(of: row)
    }
}

/// Which answers are images: a captive portal answers with a page, and a page among images could run in a browser.
enum ImageType {
    /// Longer ones are no type of an image.
    private static let longest = 100

    /// Without parameters, in lower case; nothing for what is not handed on.
    static func shown(_ header: String?) -> String? {
        guard let header, header.utf8.count <= longest else { return nil }
        let type = header.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        // Drawings of that type may hold scripts.
        guard type.hasPrefix("image/"), type != "image/svg+xml" else { return nil }
        let name = type.dropFirst("image/".count).utf8
        let isToken = name.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "-+.".utf8.contains(byte)
        }
        return !name.isEmpty && isToken ? type : nil
    }
}
