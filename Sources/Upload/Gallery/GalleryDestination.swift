import Basics
package import Bridge

/// Delivers to one event of a gallery: asks for a place, puts the bytes there, and asks what has become of them.
///
/// The job's key goes with the question for a place, so that a lost answer never makes a second photo. Nothing is kept
/// here between two steps: what counts is in the job.
package final class GalleryDestination: ProcessingDestination {
    package let id: DestinationID
    package let url: String
    package let reach: Reach
    private let event: String
    private let account: GalleryAccount
    private let reader: PhotoReader
    private let means: DeliveryMeans
    private let way: @Sendable () -> UploadWay
    private let prepare: @Sendable (Job) async -> Void

    private var api: GalleryAPI { account.api }

    /// The account is for the place's address. The executor may block: photos are hashed on it. `prepare`: what comes before a
    /// job's photo has a place there.
    package init(
        id: DestinationID, _ place: GalleryPlace, account: GalleryAccount, means: DeliveryMeans,
        executor: any SerialExecutor,
        way: @escaping @Sendable () -> UploadWay = { UploadWay() },
        prepare: @escaping @Sendable (Job) async -> Void = { _ in }
    ) {
        precondition(account.api.address == place.address, "the account is at another gallery")
        self.id = id
        url = place.url
        event = place.event
        reach = .network(host: place.address.host, port: place.address.port)
        self.account = account
        self.means = means
        self.way = way
        self.prepare = prepare
        reader = PhotoReader(spool: means.spool, executor: executor)
    }

    // MARK: A place

    package func presign(_ job: Job) async -> DeliveryOutcome {
        if let intent = job.intent, !intent.uploadID.isEmpty { return await freshPlace(intent, job) }
        let first: [UInt8]
        do throws(Undeliverable) {
            first = try await reader.beginning(job, GalleryContentType.length)
        } catch {
            return error.outcome
        }
        guard let contentType = GalleryContentType.of(name: job.facts.name, first: first) else {
            let name = UntrustedText.clean(job.facts.name, most: 100)
            return .permanent("\(StorageFailure.noPhoto(name: name))")
        }
        let upload = UploadDescription(
            event: event, contentType: contentType, size: job.photo.size, fileName: job.facts.name,
            // A moment, or nothing: a date without a zone would be another one wherever it is read, and galleries look
            // into the photo by themselves.
            sha256: job.photo.sha256, capturedAt: job.takenAt, cameraClockAhead: job.cameraClockAhead)
        await prepare(job)
        do throws(GalleryError) {
            return .presigned(
                try await account.perform { [api] token throws(GalleryError) in
                    try await api.presign(upload, key: job.key, token)
                })
        } catch {
            return Self.outcome(error) { refusal in
                switch refusal.status {
                // The same key with another body: what we say of this photo is not what we said before.
                case 404, 409, 413, 422: .permanent("\(refusal)")
                case 410: .eventExpired("\(refusal)")
                default: .retryable("\(refusal)", after: refusal.after)
                }
            }
        }
    }

    private func freshPlace(_ intent: PresignedUpload, _ job: Job) async -> DeliveryOutcome {
        do throws(GalleryError) {
            return .presigned(
                try await account.perform { [api] token throws(GalleryError) in
                    try await api.represign(intent.uploadID, size: job.photo.size, token)
                })
        } catch {
            return Self.outcome(error) { refusal in
                switch refusal.status {
                case 404: .intentForgotten
                case 409: .goesOn
                case 410: .eventExpired("\(refusal)")
                case 413, 422: .permanent("\(refusal)")
                default: .retryable("\(refusal)", after: refusal.after)
                }
            }
        }
    }

    private static func outcome(
        _ error: GalleryError, _ specific: (GalleryRefusal) -> DeliveryOutcome
    ) -> DeliveryOutcome {
        switch (error.general, error) {
        // No photo is in a question, so none can be why it is lost.
        case (.destinationFailed(let text, _), .unanswered), (.destinationFailed(let text, _), .foreign):
            .notThere(text)
        case (.destinationFailed(let text, let after), _): .destinationFailed(text, after: after)
        case (.held(let cause, let text), _): .held(cause, text)
        case (.cancelled, _): .cancelled
        case (nil, .refused(let refusal)): specific(refusal)
        case (nil, _): .destinationFailed("\(error)")
        }
    }

    // MARK: The bytes

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        guard let intent = job.intent, !intent.url.isEmpty else {
            return .placeRefused("\(StorageFailure.noPlaceYet)")
        }
        do throws(Undeliverable) {
            try await reader.expect(job)
        } catch {
            return error.outcome
        }
        let file = FileSlice(path: reader.path(of: job), count: job.photo.size)
        do throws(HTTPFailure) {
            let answer = try await api.put(intent, file: file, way: way()) { [means] in
                means.onMoved(job.id, $0)
            }
            return await outcome(of: answer, job)
        } catch {
            return Self.outcome(error, file.path)
        }
    }

    /// What the storage has answered. It need not be the gallery's own: no envelope is expected, and its words are
    /// not shown, because storages repeat what was signed.
    private func outcome(of answer: HTTPResponse, _ job: Job) async -> DeliveryOutcome {
        let now = means.wall.wallNow
        let after = answer.retryAfter(at: now)
        func said(_ meaning: StorageFailure.Answer = .unexplained) -> String {
            "\(StorageFailure.answered(answer.status, meaning))"
        }
        switch answer.status {
        case 200..<300: return answer.isPage ? .notThere(said(.page)) : .sent(isCertain: true)
        case 400: return await reader.blame(job, or: said(.damaged))
        case 401, 403: return .placeRefused(said(Self.whyRefused(answer, at: now)))
        // Without a body of ours by now: the first one that came is whole.
        case 412: return .sent(isCertain: true)
        case 413: return .permanent(said(.tooLarge(job.photo.size)))
        // A body that came too slowly, mostly; who says for how long means it.
        case 408: return after.map { .destinationFailed(said(), after: $0) } ?? .cut(said())
        case 409, 411, 416, 422: return .retryable(said(), after: after)
        default: return .destinationFailed(said(), after: after)
        }
    }

    private static func whyRefused(_ answer: HTTPResponse, at now: Timestamp) -> StorageFailure.Answer {
        guard let date = answer.date else { return .placeOver }
        let ahead = date - now
        return ahead > worthMentioning || ahead < .zero - worthMentioning ? .clock(ahead: ahead) : .placeOver
    }

    /// Signatures bear a little.
    private static let worthMentioning = Duration.seconds(60)

    private static func outcome(_ failure: HTTPFailure, _ path: String) -> DeliveryOutcome {
        switch failure {
        // It may be stored, or may not: the gallery knows.
        case .broken(_, bodyWasSent: true): .sent(isCertain: false)
        case .unreachable: .notThere("\(StorageFailure.noAnswer(failure))")
        case .broken, .unreadable: .cut("\(StorageFailure.noAnswer(failure))")
        case .certificate: .held(.certificate, "\(StorageFailure.certificate(failure))")
        case .body(let error): Undeliverable(error, reading: path).outcome
        // The address came from the gallery; another one may be better.
        case .invalid: .placeRefused("\(StorageFailure.unusablePlace)")
        case .cancelled: .cancelled
        }
    }

    // MARK: What has become of them

    package func ask(_ jobs: [Job]) async -> ProcessingAnswer {
        precondition(jobs.count <= UploadScheduler.mostAsked, "a gallery is asked of so many at a time")
        let ids = jobs.compactMap { $0.intent?.uploadID }.filter { !$0.isEmpty }
        guard !ids.isEmpty else { return .states(Self.states(jobs, [:])) }
        do throws(GalleryError) {
            let found = try await account.perform { [api] token throws(GalleryError) in
                try await api.status(ids, token)
            }
            return .states(Self.states(jobs, found))
        } catch {
            switch error.general {
            case .held(let cause, let text): return .held(cause, text)
            case .cancelled: return .cancelled
            case .destinationFailed(let text, let after): return .destinationFailed(text, after: after)
            // Its own no to a question that concerns no single photo.
            case nil: return .destinationFailed("\(error)")
            }
        }
    }

    func photos(_ ids: [String]) async throws(GalleryError) -> [String: UploadedPhoto] {
        try await account.perform { [api] token throws(GalleryError) in try await api.photos(ids, token) }
    }

    /// Why the account that is logged in says nothing of the event's photos; nothing where the event is its own.
    func otherAccount() async throws(GalleryError) -> String? {
        do throws(GalleryError) {
            _ = try await account.perform { [api, event] token throws(GalleryError) in
                try await api.event(event, token)
            }
            return nil
        } catch .refused(let refusal) where refusal.isItsOwn && [403, 404, 410].contains(refusal.status) {
            return
                "the account that is logged in has no such event; log in with the one that photos were delivered with"
        }
    }

    private static func states(_ jobs: [Job], _ found: [String: UploadStatus]) -> [JobID: ProcessingState] {
        var states: [JobID: ProcessingState] = [:]
        for job in jobs {
            states[job.id] =
                job.intent.flatMap { found[$0.uploadID] }.map { state(of: job, $0) } ?? .unknown
        }
        return states
    }

    private static func state(of job: Job, _ status: UploadStatus) -> ProcessingState {
        switch status.status {
        case "pending": return .pending
        case "processing": return .processing
        case "expired": return .expired
        case "completed":
            // Without a photo there is nothing to show for it.
            return status.photoID.map {
                .completed(Receipt(.photo($0), size: job.photo.size, sha256: job.photo.sha256))
            } ?? .unknown
        case "failed": return failure(status)
        // A step of a newer version, on the way to one of the others.
        default: return .processing
        }
    }

    private static func failure(_ status: UploadStatus) -> ProcessingState {
        let code = UntrustedText.clean(status.errorCode ?? "failed", most: 100)
        let message = UntrustedText.clean(status.errorMessage ?? "", most: GalleryAPI.longestMessage)
        let text = "\(StorageFailure.couldNotUse(code: code, message: message))"
        switch status.errorCode {
        case "PROCESSING_TIMEOUT", "STORAGE_ERROR": return .failedRetryable(text)
        case "INSUFFICIENT_CREDITS": return .held(.credits, text)
        default: return .failedPermanent(text)
        }
    }
}

extension HTTPResponse {
    /// A web page, which no storage answers a photo with.
    fileprivate var isPage: Bool {
        if self["Content-Type"]?.lowercased().hasPrefix("text/html") == true { return true }
        let start = String(decoding: body.prefix(100), as: UTF8.self).lowercased().drop { $0.isWhitespace }
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }
}
