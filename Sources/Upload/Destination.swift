package import Basics
package import Bridge

/// A place that photos are delivered to. One small module for each kind; the scheduler knows none of them.
package protocol Destination: Sendable {
    var id: DestinationID { get }
    /// As the operator named it, for messages.
    var url: String { get }
    /// What lies between us and it.
    var reach: Reach { get }

    /// Delivers one photo, or says what kept it from arriving. Doing it a second time after a crash does not deliver
    /// it twice. Ends soon when the task is cancelled.
    func deliver(_ job: Job) async -> DeliveryOutcome
    /// The job will never be delivered: what has been begun of it there is taken away, as far as that goes.
    func giveUp(_ job: Job) async

    /// Others take away what is delivered there: a hot folder, a print queue.
    var consumes: Bool { get }
    /// So many are looked at together.
    var mostLooked: Int { get }
    /// What lies there now where these receipts say that photos do, one answer for each, in their order. Sends nothing.
    func look(at receipts: [Receipt]) async -> [Standing]
    /// Gives every byte that lies there under a receipt, as they come. False from `take` ends it.
    func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws
}

extension Destination {
    /// Most leave nothing behind.
    package func giveUp(_ job: Job) async {}
}

extension Destination {
    package var kind: DestinationKind { self is any ProcessingDestination ? .gallery : .direct }
}

/// A place that is asked for each photo where to put it, and afterwards what has become of it.
package protocol ProcessingDestination: Destination {
    /// Asks for a place: for a job without an intent a new one, for a job with one a fresh place for the same upload.
    func presign(_ job: Job) async -> DeliveryOutcome
    /// What has become of photos that were sent, at most `UploadScheduler.mostAsked` at a time.
    func ask(_ jobs: [Job]) async -> ProcessingAnswer
}

/// What lies between us and a destination.
package enum Reach: Equatable, Sendable {
    /// Nothing but this machine, which does so many at a time.
    case local(slots: Int)
    /// Networks, by which the kernel finds the way to this host.
    case network(host: String, port: UInt16)
}

/// What a destination in the network delivers with.
package struct DeliveryMeans: Sendable {
    /// The folder of the event's whole files.
    package let spool: String
    package let http: any HTTPTransport
    package let time: any TimeSource
    package let wall: any WallTime
    package let random: any RandomSource
    /// Told about every piece that leaves, and of which job.
    package let onMoved: @Sendable (JobID, UInt64) -> Void
    /// What a store writes into its answers.
    package let storeClock: GalleryClock?

    package init(
        spool: String, http: any HTTPTransport, time: any TimeSource, wall: any WallTime,
        random: any RandomSource, storeClock: GalleryClock? = nil,
        onMoved: @escaping @Sendable (JobID, UInt64) -> Void
    ) {
        self.spool = spool
        self.http = http
        self.time = time
        self.wall = wall
        self.random = random
        self.onMoved = onMoved
        self.storeClock = storeClock
    }
}
