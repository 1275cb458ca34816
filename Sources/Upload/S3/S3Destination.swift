package import Bridge
import Digest
import Glibc
import Posix
import S3
import Synchronization

/// Delivers into a bucket.
///
/// The store is told what the bytes have to be, so it refuses what was damaged on the way, and that no object may be
/// there, so it refuses what would replace one. "Already there" is believed only after size and SHA-256 have been
/// compared, and where no answer came, it is asked.
package final class S3Destination: TestableDestination {
    package let id: DestinationID
    package let url: String
    package let reach: Reach
    private let address: S3Address
    private let environment: [String: String]
    private let means: DeliveryMeans
    private let memory: UploadMemory
    private let reader: PhotoReader
    /// Made when it is needed, and anew after keys were refused: the operator may have corrected them.
    private let client = Mutex<S3Client?>(nil)
    private let names = ActiveNames()
    private let habit = StoreHabit()

    /// Keys, region and endpoint are looked up in `environment` and where it points to. `thread` may block: it reads
    /// photos that are sent in parts.
    package init(
        id: DestinationID, url: String, _ address: S3Address, environment: [String: String],
        means: DeliveryMeans, notes: any JobNotes, thread: any SerialExecutor
    ) {
        self.id = id
        self.url = url
        self.address = address
        self.environment = environment
        self.means = means
        memory = UploadMemory(notes: notes)
        reader = PhotoReader(spool: means.spool, executor: thread)
        reach = Self.reach(address, environment)
    }

    /// What leads there has to be known before there are keys.
    private static func reach(_ address: S3Address, _ environment: [String: String]) -> Reach {
        do throws(S3Settings.Problem) {
            let place = try S3Settings.Place(address.choice, environment: environment)
            let site = try S3Site(bucket: address.bucket, place: place)
            return .network(host: site.host, port: site.port)
        } catch {
            // Nothing is delivered without keys, and then it is said what is missing.
            return .network(host: "s3.amazonaws.com", port: 443)
        }
    }

    private func connected() throws(S3Settings.Problem) -> S3Client {
        if let client = client.withLock({ $0 }) { return client }
        let settings = try S3Settings(address.choice, environment: environment)
        let site = try S3Site(bucket: address.bucket, settings: settings)
        let made = S3Client(site: site, keys: settings.keys, http: means.http, wall: means.wall) {
            [clock = means.storeClock] in clock?.note($0, at: $1)
        }
        client.withLock { $0 = made }
        return made
    }

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        if Task.isCancelled { return .cancelled }
        do {
            try await reader.expect(job)
            let path = reader.path(of: job)
            let client = try connected()
            let delivery = S3Delivery(
                job: job, path: path, address: address, client: client, memory: memory, reader: reader,
                names: names, habit: habit, onMoved: { [means] in means.onMoved(job.id, $0) })
            do {
                return try await delivery.run()
            } catch let failure as S3Failure {
                return await outcome(of: failure, client, job, path)
            }
        } catch let problem as Undeliverable {
            return problem.outcome
        } catch let problem as S3Settings.Problem {
            return .held(.settings, "\(problem)")
        } catch is CancellationError {
            return .cancelled
        } catch let error as SystemError {
            return .retryable("\(error)")
        } catch {
            return .destinationFailed("\(error)")
        }
    }

    package var consumes: Bool { address.consumes }

    package func look(at receipts: [Receipt]) async -> [Standing] {
        var found: [Standing] = []
        for receipt in receipts { found.append(await look(at: receipt)) }
        return found
    }

    private func look(at receipt: Receipt) async -> Standing {
        do {
            let client = try connected()
            do throws(S3Failure) {
                return try await S3Look(client: client, address: address).standing(of: receipt)
            } catch {
                return .unanswered(explained(error, client))
            }
        } catch {
            return .unanswered("\(error)")
        }
    }

    private func explained(_ failure: S3Failure, _ client: S3Client) -> String {
        guard case .refused(let refusal) = failure, refusal.concern == .settings else { return "\(failure)" }
        self.client.withLock { $0 = nil }
        return refusal.advice(site: client.site, keys: client.keys)
    }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        try await S3Look(client: connected(), address: address).read(receipt, take)
    }

    package func test(_ job: Job) async -> DeliveryOutcome {
        let outcome = await deliver(job)
        guard case .delivered(let receipt) = outcome, case .key(let name) = receipt.place else {
            return outcome
        }
        do {
            let client = try connected()
            let isSame = try await takeBack(address.prefix + name, receipt, with: client)
            return isSame
                ? outcome : .retryable("\(ServerFailure.notReadBack(name: name, place: address.bucket))")
        } catch let failure as S3Failure {
            if case .refused(let refusal) = failure {
                return .held(.settings, "\(ServerFailure.refusedAfterwards(name: name, "\(refusal)"))")
            }
            return .notThere("\(failure)")
        } catch {
            return .held(.settings, "\(error)")
        }
    }

    package func probe() async -> DeliveryOutcome? {
        do throws(S3Settings.Problem) {
            let client = try connected()
            do throws(S3Failure) {
                _ = try await client.objects(beginning: address.prefix, after: nil, limit: 1)
                return nil
            } catch {
                // Keys that may put and not list are good keys.
                if case .refused(let refusal) = error, refusal.code == "AccessDenied" { return nil }
                return outcome(of: error, client)
            }
        } catch {
            return .held(.settings, "\(error)")
        }
    }

    /// Of a question that no job asked.
    private func outcome(of failure: S3Failure, _ client: S3Client) -> DeliveryOutcome {
        switch failure {
        case .noAnswer(let failure):
            DeliveryOutcome(failure, from: client.site.authority, sending: "")
        case .notAStore(let text): .notThere(text)
        case .refused(let refusal) where refusal.concern == .settings:
            .held(.settings, explained(failure, client))
        case .refused(let refusal): .destinationFailed("\(refusal)", after: refusal.retryAfter)
        }
    }

    /// Reads an object and removes it; whether it was what the receipt says.
    private func takeBack(_ key: String, _ receipt: Receipt, with client: S3Client) async throws -> Bool {
        guard let object = try await client.head(key) else { return false }
        let bytes: Result<[UInt8], any Error>
        do {
            bytes = .success(try await client.read(key, 0..<receipt.size, etag: object.etag))
        } catch {
            bytes = .failure(error)
        }
        try await client.delete(key)
        return "\(SHA256.of(try bytes.get()))" == receipt.sha256
    }

    /// A job that was cancelled leaves no parts behind, which would cost money without being seen.
    package func giveUp(_ job: Job) async {
        guard let note = memory.note(of: job) else { return }
        do {
            try await connected().abort(note.upload)
            try await memory.forget(job)
        } catch {
            // The bucket's owner can have old uploads ended by a rule; nothing here waits for it.
            return
        }
    }

    private func outcome(
        of failure: S3Failure, _ client: S3Client, _ job: Job, _ path: String
    ) async -> DeliveryOutcome {
        switch failure {
        case .noAnswer(let failure):
            return DeliveryOutcome(failure, from: client.site.authority, sending: path)
        case .notAStore(let text): return .notThere(text)
        case .refused(let refusal):
            switch refusal.concern {
            case .settings:
                self.client.withLock { $0 = nil }
                return .held(.settings, refusal.advice(site: client.site, keys: client.keys))
            // Other bytes arrived than were announced.
            case .content: return await reader.blame(job, or: "\(refusal)")
            case .never: return .permanent("\(refusal)")
            // Our bytes came too slowly.
            case .store where refusal.status == 408 || refusal.code == "RequestTimeout":
                return .cut("\(refusal)")
            case .store: return .destinationFailed("\(refusal)", after: refusal.retryAfter)
            case .object, .other: return .retryable("\(refusal)", after: refusal.retryAfter)
            }
        }
    }
}
