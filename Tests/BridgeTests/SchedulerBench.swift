import Basics
import Bridge
import TestSupport

typealias Happening = UploadScheduler.Happening
typealias Action = UploadScheduler.Action

/// A scheduler with a calendar and chance of its own.
struct SchedulerBench {
    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    /// A place that most tests deliver to.
    static let here = DestinationID(1)
    static let there = DestinationID(2)
    static let longest = Duration.seconds(300)

    var scheduler: UploadScheduler
    var now = start
    private var random: Seeded

    init(seed: UInt64 = 1, _ change: (inout UploadScheduler.Settings) -> Void = { _ in }) {
        var settings = UploadScheduler.Settings()
        settings.backoff = Backoff(first: .seconds(1), longest: Self.longest)
        change(&settings)
        scheduler = UploadScheduler(settings: settings)
        random = Seeded(seed)
    }

    /// Jobs in the window, in a scheduler that knows their destinations and has no slots yet.
    static func holding(
        _ jobs: [Job], seed: UInt64 = 1, _ change: (inout UploadScheduler.Settings) -> Void = { _ in }
    ) -> SchedulerBench {
        var bench = SchedulerBench(seed: seed, change)
        for destination in [here, there] { bench.tell(.slots(destination, 0)) }
        for destination in [here, there] {
            let its = jobs.filter { $0.destination == destination }
            bench.tell(.claimed(destination, its, asked: 1000))
        }
        return bench
    }

    /// As the answer to a claim that there is no more to say after.
    mutating func claimed(_ jobs: [Job], to destination: DestinationID = here) -> [Action] {
        tell(.claimed(destination, jobs, asked: 1000))
    }

    @discardableResult
    mutating func tell(_ happening: Happening) -> [Action] {
        scheduler.handle(happening, at: now, using: &random)
    }

    /// Tells it, and says which jobs it began, in order.
    mutating func begun(_ happening: Happening) -> [Int64] {
        Self.begun(tell(happening))
    }

    /// The jobs that begin when the time has gone on by so much.
    mutating func begun(after span: Duration) -> [Int64] {
        now = now + span
        return begun(.timePassed)
    }

    mutating func end(_ job: Int64, _ outcome: DeliveryOutcome) -> [Action] {
        tell(.ended(JobID(job), outcome))
    }

    /// Ends one job after the other well, and says in which order they were begun.
    mutating func orderOfAll(slots: Int = 1) -> [Int64] {
        var order = begun(.slots(Self.here, slots))
        var ended = 0
        while ended < order.count {
            order += Self.begun(end(order[ended], .good))
            ended += 1
        }
        return order
    }

    static func begun(_ actions: [Action]) -> [Int64] {
        actions.compactMap {
            guard case .deliver(let job) = $0 else { return nil }
            return job.id.number
        }
    }

    static func changes(_ actions: [Action]) -> [JobChange] {
        actions.compactMap {
            switch $0 {
            case .persist(let change), .note(let change): change
            default: nil
            }
        }
    }

    static func claims(_ actions: [Action]) -> [Int] {
        actions.compactMap {
            guard case .claim(_, let count) = $0 else { return nil }
            return count
        }
    }

    /// What was reported of destinations: the reason, or "goes on".
    static func reports(_ actions: [Action]) -> [String] {
        actions.compactMap {
            guard case .report(_, let reason) = $0 else { return nil }
            return reason ?? "goes on"
        }
    }
}

extension Job {
    /// Due at `start` and so many milliseconds.
    static func some(
        _ number: Int64, to destination: DestinationID = SchedulerBench.here, _ state: JobState = .staged,
        _ lane: Lane = .first, attempts: Int = 0, due: Int64 = 0, kind: DestinationKind? = nil
    ) -> Job {
        Job(
            id: JobID(number), capture: CaptureID(number), destination: destination,
            kind: kind ?? (state == .presigned ? .gallery : .direct), state: state, lane: lane,
            key: "key \(number)",
            attempts: attempts, due: SchedulerBench.start + .milliseconds(due),
            photo: StagedPhoto(file: "\(number).JPG", size: 1, sha256: ""),
            facts: NameTemplate.Facts(
                event: "", date: "", time: "", camera: "", serial: "", sequence: number,
                name: "\(number).JPG"),
            problem: state == .failedRetryable ? "it failed" : nil,
            intent: state == .presigned ? .fresh(number) : nil)
    }
}

extension PresignedUpload {
    /// A place that a gallery gave at the start, for five minutes.
    static func fresh(_ number: Int64, at now: Timestamp = SchedulerBench.start) -> PresignedUpload {
        PresignedUpload(
            uploadID: "upload \(number)", url: "https://store.test/\(number)", objectKey: "\(number)",
            expiresAt: now + .seconds(300), headers: [])
    }
}

extension DeliveryOutcome {
    static let good = DeliveryOutcome.delivered(Receipt(key: "a", size: 1, sha256: ""))
}
