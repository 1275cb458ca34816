package import Basics
import Imaging
import Posix
package import Rendering

/// Makes photos out of bytes that have come: in order of arrival, so many at a time, and after a restart from where it was.
package actor Processor {
    /// It only waits for others, who have threads of their own.
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let store: StorePool
    let storage: any ObjectStorage
    let renderer: any Renderer
    let videos: VideoStudio
    let time: any TimeSource
    let log: @Sendable (String) -> Void
    private let activity: ActivityLog?
    let sharesWork: Bool
    /// Whether this machine can keep what is made here.
    let hasRoom: @Sendable () -> Bool
    private nonisolated let signal = Signal()
    private var busy: Set<String> = []
    /// Those of them that are videos.
    private var films: Set<String> = []
    /// How often work on an upload came to an end that could not be written: no fault of the photo's.
    var unwritten: [String: Int] = [:]
    /// Until then others take what there is to do: what was done here last failed because of this node.
    var restsUntil = Duration.zero
    private let oldTimes: OldTimes
    /// How far the photos of older versions have been read again since the start.
    private var lastRead: OldPhoto?
    private var isReading = false
    /// When the database takes nothing.
    private static let pause = Duration.seconds(2)
    /// Happenings since the start, for the metrics.
    package private(set) var totals = Totals()

    package struct Totals: Equatable, Sendable {
        package var photos = 0
        package var duplicates = 0
        package var failed = 0
        package var bytes: UInt64 = 0
        /// Work whose lease ran out before it came to its end.
        package var lost = 0
    }

    /// What is worked on at this moment.
    package var underWay: Set<String> { busy }

    package init(
        store: StorePool, storage: any ObjectStorage, renderer: any Renderer, videos: VideoStudio,
        time: any TimeSource, executor: any SerialExecutor, sharesWork: Bool = false,
        activity: ActivityLog? = nil, hasRoom: @escaping @Sendable () -> Bool = { true },
        log: @escaping @Sendable (String) -> Void
    ) {
        self.sharesWork = sharesWork
        self.hasRoom = hasRoom
        self.store = store
        self.storage = storage
        self.renderer = renderer
        self.videos = videos
        self.time = time
        self.executor = executor
        self.log = log
        self.activity = activity
        oldTimes = OldTimes(
            store: store, storage: storage, renderer: renderer, log: log)
    }

    package nonisolated func lookAgain() { signal.fire() }

    var takesWork: Bool { !isResting && hasRoom() }

    /// Until the task is cancelled; what is under way then is begun again at the next start.
    package func run(atOnce workers: Int) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    while takesWork, let next = try await next(atOnce: workers) {
                        group.addTask { await self.process(next.row, next.key) }
                    }
                    if busy.isEmpty, !isReading, takesWork || !sharesWork,
                        let old = try await store({ [lastRead] in try $0.nextUnread(after: lastRead) })
                    {
                        isReading = true
                        group.addTask { await self.read(old) }
                    }
                } catch {
                    log("the next upload cannot be read, which is tried again in a moment: \(error)")
                    await signal.wait(until: time.now + Self.pause, of: time)
                    continue
                }
                if sharesWork || !hasRoom() {
                    // Another node may leave work behind, or there may be room again, and no message says so.
                    await signal.wait(until: time.now + Self.pause, of: time)
                } else {
                    await signal.waitUnlessCancelled()
                }
            }
            group.cancelAll()
        }
    }

    /// A video takes minutes, and its bytes as much room again: one is worked on at a time, beside the photos and not in the
    /// place of one, so that these never stand behind it.
    private func next(atOnce workers: Int) async throws -> (row: UploadRow, key: String)? {
        let kinds = WorkKinds(photos: busy.count - films.count < workers, videos: films.isEmpty)
        guard kinds.photos || kinds.videos else { return nil }
        let next = try await store { [busy] in try $0.nextToProcess(except: busy, kinds) }
        if let next { begin(next.row) }
        return next
    }

    private func begin(_ row: UploadRow) {
        busy.insert(row.id)
        if VideoType.isVideo(row.contentType) { films.insert(row.id) }
    }

    /// The next one, if there is one. Says whether there was.
    package func workOnce() async throws -> Bool {
        guard !isResting, let next = try await store({ [busy] in try $0.nextToProcess(except: busy) })
        else { return false }
        begin(next.row)
        await process(next.row, next.key)
        return true
    }

    /// The next photo of which an older version wrote down the time, if there is one. Says whether there was.
    package func readOnce() async throws -> Bool {
        guard let old = try await store({ [lastRead] in try $0.nextUnread(after: lastRead) }) else {
            return false
        }
        await read(old)
        return true
    }

    private func read(_ old: OldPhoto) async {
        lastRead = old
        await oldTimes.read(old)
        isReading = false
        signal.fire()
    }

    private func process(_ row: UploadRow, _ key: String) async {
        do {
            if let failure = try await photo(from: row, key) {
                totals.failed += 1
                try await store { try $0.refused(row.id, key: key, failure) }
                tell(row, failure)
            }
        } catch  where Self.isStopped(error) {
            // The end of the server: it is begun again at the next start.
            return
        } catch {
            if await !givesBack(row, key, after: error) {
                totals.failed += 1
                log("upload \(row.id) could not be worked on: \(error)")
                tell(row, Self.ours)
                await giveUp(row, key)
            }
        }
        busy.remove(row.id)
        films.remove(row.id)
        signal.fire()
    }

    private static func isStopped(_ error: any Error) -> Bool {
        (error as? RenderProblem)?.code == .stopped || (error as? VideoProblem)?.code == .stopped
    }

    private func tell(_ row: UploadRow, _ failure: UploadStateMachine.Failure) {
        activity?.note(
            .uploadFailed,
            ["upload": row.id, "event": row.event, "code": failure.code.rawValue, "because": failure.message])
    }

    /// What failed on which file is the operator's business, and in the log.
    private static let ours = UploadStateMachine.Failure(
        .storage, "the server could not store it just now; it can be tried again")

    private func giveUp(_ row: UploadRow, _ key: String) async {
        do {
            try await store { try $0.refused(row.id, key: key, Self.ours) }
            unwritten[row.id] = nil
        } catch {
            log("that could not be written either: \(error)")
            unwritten[row.id, default: 0] += 1
            await rest()
        }
    }

    private func rest() async {
        do {
            try await time.sleep(until: time.now + Self.pause)
        } catch {
            // The server ends.
            return
        }
    }

    /// Nothing when it has become a photo.
    private func photo(from row: UploadRow, _ key: String) async throws -> UploadStateMachine.Failure? {
        guard row.starts - unwritten[row.id, default: 0] < GalleryStore.mostStarts else {
            return UploadStateMachine.Failure(
                .decoderCrashed, "work on it has ended the program \(row.starts) times")
        }
        if VideoType.isVideo(row.contentType) { return try await video(from: row, key) }
        let keys = try await store { try $0.renditionKeys() }
        let making = RenditionsInMaking(keys, in: storage.workshop)
        defer { making.clear() }
        let result = try await storage.withFile(key) {
            [renderer] file -> Result<RenderedPhoto, RenderProblem> in
            do throws(RenderProblem) {
                let job = RenderJob(file: file, declaredType: row.contentType, making)
                return .success(try await renderer.render(job))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .failure(let problem):
            // Not the photo's fault, or not known to be.
            if problem.code == .stopped || problem.code == .storage { throw problem }
            return UploadStateMachine.Failure(.init(rawValue: problem.code.rawValue), problem.description)
        case .success(let rendered):
            if let said = row.sha256, said != rendered.sha256 {
                return UploadStateMachine.Failure(
                    .wrongHash, "its bytes have the SHA-256 \(rendered.sha256), and \(said) was announced")
            }
            if let problem = rendered.colourProblem {
                log("the colours of upload \(row.id) may look wrong: \(problem)")
            }
            try await keep(rendered, making, as: keys)
            return try await complete(row, key, NewPhoto(rendered, keys))
        }
    }

    func complete(
        _ row: UploadRow, _ key: String, _ photo: NewPhoto
    ) async throws -> UploadStateMachine.Failure? {
        if let twin = try await store({ try $0.twin(of: photo.sha256, in: row.event) }) {
            let lost = OriginalRestorer(key: twin.key, size: photo.size, type: row.contentType)
            if try await lost.restore(from: key, in: storage) {
                log("photo \(twin.id) has its bytes again, which the storage had lost")
            }
        }
        switch try await store({ try $0.complete(row.id, key: key, with: photo) }) {
        case .photo:
            totals.photos += 1
            totals.bytes += photo.size
        case .sameAs: totals.duplicates += 1
        case .failed: totals.failed += 1
        case .late: totals.lost += 1
        }
        return nil
    }
}

/// Looks at pictures and makes smaller ones of them: in processes of its own, or a stand-in of the tests.
package protocol Renderer: Sendable {
    func render(_ job: RenderJob) async throws(RenderProblem) -> RenderedPhoto
}

extension RenderPool: Renderer {}

extension NewPhoto {
    init(_ photo: RenderedPhoto, _ keys: RenditionKeys) {
        self.init(
            sha256: photo.sha256, crc: photo.crc32, size: photo.size, width: photo.width,
            height: photo.height, exif: photo.exif, renditions: Renditions(photo, keys))
    }
}
