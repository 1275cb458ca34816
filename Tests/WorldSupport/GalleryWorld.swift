import Basics
package import Bridge
package import Store
package import TestSupport
package import Testing
import Transfer
package import Upload

/// A whole bridge, the cameras that it fetches from, and the gallery that it uploads to: a real ledger, real files, the
/// real clients of cameras and of the gallery's API. The cameras are simulated and linked to it in memory, the gallery is a
/// model that refuses illegal calls, everything runs on one thread, and time passes when a test says so.
package final class GalleryWorld {
    package let clock = ManualClock()
    package let calendar: TestCalendar
    package let gallery: ModelGallery
    package let member: ModelAccount
    package let event: String
    package let home: TemporaryFolder
    package let spool: TestSpool
    package let wire: GalleryWire
    let turns: TurnExecutor
    private let life = Shared(Mortality())

    package let events = Shared<[UploadEvent]>([])
    package let news = Shared<[CameraNews]>([])
    package let saves = Shared<[[JobChange]]>([])
    package private(set) var ledger: Ledger
    package private(set) var uploader: Uploader?
    private var task: Task<Void, Never>?
    package private(set) var destination: DestinationID
    private(set) var ledgerEvent: BridgeEvent
    var random: Seeded
    private var staged: Int64 = 0

    /// In the air all evening, while bridges come and go.
    package internal(set) var cameras: [EveningCamera] = []
    /// How each bridge treats cards.
    package var transferSettings = TransferMachine.Settings()
    var transfers: [CameraTransfer] = []
    var transferTasks: [Task<Void, Never>] = []

    package init(
        seed: UInt64 = 1, on turns: TurnExecutor = TurnExecutor(),
        _ change: (inout ModelGallery.Rules) -> Void = { _ in }
    ) async throws {
        self.turns = turns
        var rules = ModelGallery.Rules()
        change(&rules)
        calendar = TestCalendar(clock)
        gallery = ModelGallery(clock: clock, rules: rules)
        member = gallery.account()
        event = gallery.event(of: member)
        home = try TemporaryFolder(in: TemporaryFolder.memory)
        spool = try TestSpool(inMemory: true)
        wire = GalleryWire(gallery, clock, life)
        random = Seeded(seed)
        ledger = try Ledger(
            path: home.file(Ledger.fileName), executor: turns, wall: calendar,
            random: SeededSource(random.next()))
        ledgerEvent = try await ledger.event("Wedding")
        destination = try await ledger.destination(
            "\(gallery.base)events/\(event)", kind: .gallery, of: ledgerEvent)
        try await logIn(member)
    }

    deinit {
        for camera in cameras { camera.stand.close() }
        turns.shutDown()
    }

    private func address() throws -> GalleryAddress { try GalleryAddress(gallery.base) }

    /// As the command does it, which waits while the bridge writes what it has refreshed. Here that is: until all of
    /// the bridge waits.
    package func logIn(_ member: ModelAccount) async throws {
        await turns.idle()
        let address = try address()
        try CredentialsFile(folder: home.path).update { credentials in
            credentials[address] = GalleryCredentials.Entry(
                server: "\(address)",
                user: GalleryUser(id: member.id, email: member.email, displayName: "Ann"),
                tokens: GalleryTokens(access: member.access, refresh: member.refresh))
        }
    }

    // MARK: Photos

    /// The next photos, whole in the spool. Two of one seed have the same bytes.
    package func stage(_ count: Int, seeds: [UInt64] = [], size: Int = 200) async throws {
        let body = CameraIdentity(manufacturer: "Nikon", model: "Z 9", body: "6001234")
        let camera = try await ledger.meet(body, at: "192.168.1.1")
        for index in 0..<count {
            staged += 1
            let bytes = jpeg(index < seeds.count ? seeds[index] : UInt64(staged), size)
            let job = try spool.job(staged, "DSC_\(staged).JPG", bytes)
            let identity = PhotoIdentity(
                manufacturer: body.manufacturer, model: body.model, body: body.body, slot: 1,
                folders: ["100NCZ_9"], name: job.facts.name, size: job.photo.size,
                captureDate: "20261121T185903", format: 0x3801)
            let sighting = Sighting(
                offer: Offer(identity: identity, reference: PhotoReference("\(staged)")), objection: nil)
            for capture in try await ledger.record([sighting], of: camera, in: ledgerEvent, connection: "c") {
                _ = try await ledger.stage(capture.id, job.photo, skipsDuplicates: false)
            }
        }
        uploader?.lookAgain()
    }

    // MARK: The bridge

    /// A bridge begins on what its predecessor left. It may be killed after so many effects.
    package func start(dyingAfter effects: Int? = nil, attempts: Int = 5, event: String? = nil) async throws {
        precondition(task == nil, "one bridge runs at a time")
        let mortality = Mortality(after: effects)
        life.change { $0 = mortality }
        ledger = try Ledger(
            path: home.file(Ledger.fileName), executor: turns, wall: calendar,
            random: SeededSource(random.next()))
        _ = try await ledger.rescueJobs()
        let account = GalleryAccount(
            api: GalleryAPI(try address(), http: wire, wall: calendar),
            file: CredentialsFile(folder: home.path), time: clock, executor: turns, mayRefresh: true)
        let place = GalleryDestination(
            id: destination,
            GalleryPlace(try address(), event: event ?? self.event, ledgerEvent: ledgerEvent.id),
            account: account,
            means: DeliveryMeans(
                spool: cameras.isEmpty ? spool.path : "\(spool.path)/\(ledgerEvent.id)", http: wire,
                time: clock, wall: calendar,
                random: SeededSource(random.next()), onMoved: { _, _ in }),
            executor: turns)
        var settings = UploadScheduler.Settings()
        settings.attempts = attempts
        let uploader = Uploader(
            ledger: MortalLedger(ledger, mortality, saves: saves), destinations: [place], settings: settings,
            executor: turns, time: clock, wall: calendar, random: SeededSource(random.next())
        ) { [events] event in
            if !mortality.isDead.value { events.change { $0.append(event) } }
        }
        self.uploader = uploader
        way(isUp: true)
        try await startTransfers(mortality)
        followLedger(ledger, uploader)
        task = Task(executorPreference: turns) { await uploader.run() }
    }

    package func way(isUp: Bool) {
        uploader?.way(to: destination, by: "wlan0", ceiling: isUp ? 2 : 0, isUp: isUp)
    }

    private static let longestEnd = Duration.seconds(2)

    /// As a signal ends it.
    package func stop() async {
        let tasks = transferTasks + (task.map { [$0] } ?? [])
        for task in tasks { task.cancel() }
        let isOver = Shared(false)
        let ending = Task(executorPreference: turns) {
            for task in tasks { await task.value }
            isOver.change { $0 = true }
        }
        // A camera that does not answer a goodbye is waited for a moment; nothing else needs any time.
        let end = clock.now + (cameras.isEmpty ? .zero : Self.longestEnd)
        while true {
            await turns.idle()
            guard !isOver.value, let next = clock.nextDeadline, next <= end else { break }
            clock.advance(by: next - clock.now)
        }
        guard isOver.value else {
            Issue.record("the bridge does not end: \(story)")
            return
        }
        await ending.value
        (transferTasks, transfers, task, uploader) = ([], [], nil, nil)
    }

    /// As kill -9 ends it: from now on nothing of it gets through.
    package func kill() async {
        life.value.isDead.change { $0 = true }
        await stop()
    }

    package var isDead: Bool { life.value.isDead.value }
    package var effects: Int { life.value.effects.value }

    // MARK: Time

    /// Lets time pass from wait to wait until it is so, or until nothing more happens. Says whether it is so.
    @discardableResult
    package func pass(atMost span: Duration = .seconds(7200), until isTrue: () throws -> Bool) async rethrows
        -> Bool
    {
        let end = clock.now + span
        while !isHot {
            await turns.idle()
            if try isTrue() { return true }
            guard let next = clock.nextDeadline, next <= end else { break }
            clock.advance(by: next - clock.now)
        }
        return false
    }

    /// Exactly so much time.
    package func pass(_ span: Duration) async {
        let end = clock.now + span
        await pass(atMost: span) { false }
        clock.advance(by: end - clock.now)
        await turns.idle()
    }

    package var isHot: Bool { wire.isHot.value }

    /// Until each job has ended in one way or the other.
    @discardableResult
    package func finish(atMost span: Duration = .seconds(7200)) async throws -> Bool {
        try await pass(atMost: span) {
            try jobs().allSatisfy { $0.state == .completed || $0.state == .failedPermanent }
        }
    }

    // MARK: What has become of it

    package func jobs() throws -> [LedgerReader.JobEntry] {
        var found: [LedgerReader.JobEntry] = []
        try LedgerReader(path: home.file(Ledger.fileName)).jobs(of: nil) { found.append($0) }
        return found
    }

    package func states() throws -> [JobState] { try jobs().map(\.state) }
    package func problems() throws -> [String] { try jobs().compactMap(\.problem) }

    /// For reading why a test failed.
    package var story: String {
        do {
            return "\(try jobs().map { "\($0.id) \($0.state) \($0.attempts) \($0.problem ?? "")" })"
        } catch {
            return "\(error)"
        }
    }

    package func hold() async -> (cause: HoldCause?, reason: String)? { await uploader?.holds[destination] }

    /// Each photo is there once, was charged once, and each completed job names the photo that it became.
    package func expectOnce(
        _ count: Int, attempts: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let jobs = try jobs()
        #expect(
            jobs.allSatisfy { $0.state == .completed }, "\(jobs.map { ($0.state, $0.problem) })",
            sourceLocation: sourceLocation)
        #expect(jobs.map(\.attempts).reduce(0, +) == attempts, sourceLocation: sourceLocation)
        #expect(gallery.photos.count == count, sourceLocation: sourceLocation)
        try expectLegal(sourceLocation: sourceLocation)
    }

    /// What holds whatever happens.
    package func expectLegal(
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!isHot, comment, sourceLocation: sourceLocation)
        #expect(gallery.violations.isEmpty, comment, sourceLocation: sourceLocation)
        #expect(gallery.charges == gallery.photos.count, comment, sourceLocation: sourceLocation)
        #expect(
            Set(gallery.photos.map(\.sha256)).count == gallery.photos.count, comment,
            sourceLocation: sourceLocation)
        let known = Dictionary(uniqueKeysWithValues: gallery.photos.map { ($0.id, $0) })
        for job in try jobs() where job.state == .completed {
            let receipt = try JSON5.parse(job.receipt ?? "")
            let photo = receipt["photoId"]?.string.flatMap { known[$0] }
            #expect(photo != nil, comment, sourceLocation: sourceLocation)
            #expect(photo?.sha256 == receipt["sha256"]?.string, comment, sourceLocation: sourceLocation)
        }
        let ledgerTrouble = events.value.filter { if case .ledgerFailed = $0 { true } else { false } }
        #expect(ledgerTrouble.isEmpty, comment, sourceLocation: sourceLocation)
    }
}
