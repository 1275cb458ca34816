import Basics
import Bridge
import Captions
import Digest
import PhotoMetadata
import Posix
import Store
import Upload

/// Makes what says something about photos on their way: for each job once, kept in the home until the job has its
/// receipt. A job that is tried again after a crash, or after the settings have changed, sends the same bytes as before.
actor CaptionDesk: CaptionWriter {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: CaptionSettings
    private let folder: String
    private let spool: String
    private let database: String
    private nonisolated let pool: MetadataPool
    private nonisolated let delivered = Mailbox<String>()
    private nonisolated let signal = Signal()
    /// As its file was read last: an operator corrects it while the bridge runs.
    private var roster: (bytes: [UInt8], codes: CodeRoster)?

    /// Beside the spool: what is in there can be made again.
    static let folderName = "captions"
    private static let mostLeftovers = 1_000_000
    private static let mostNote = 64 << 10

    init(_ settings: CaptionSettings, _ event: BridgeEvent, _ home: Home, _ threads: Threads) throws {
        self.settings = settings
        let top = Directory.absolute(home.path) ?? home.path
        folder = "\(top)/\(Self.folderName)/\(event.id)"
        spool = "\(Directory.absolute(home.spool) ?? home.spool)/\(event.id)"
        database = home.database
        executor = threads.make("captions")
        pool = MetadataPool(on: try threads.makeReactor("caption-pool"))
    }

    // MARK: One job

    func file(for job: Job) async -> CaptionedFile {
        do {
            let directory = try Directory.make(path: folder, mode: 0o700)
            if let kept = try kept(job, in: directory) { return kept }
            guard let form = try form(of: job) else { return .none }
            let made = try await make(form, job)
            if made != .stopped { try keep(made, job, in: directory) }
            return made
        } catch {
            // A full disk, mostly. The photo goes without, and is not held for it.
            return .leftOut("\(error)")
        }
    }

    /// Of a photo that goes to a gallery, which keeps captions beside photos. Why it goes without, where it does.
    func caption(of job: Job) -> Result<PhotoCaption, any Error> {
        Result { try words(about: job) }
    }

    private func words(about job: Job) throws -> PhotoCaption {
        settings.book.caption(of: CaptionFacts(job.facts, clockAhead: job.cameraClockAhead), try codes())
    }

    private func make(_ form: MetadataJob.Form, _ job: Job) async throws -> CaptionedFile {
        let caption = try words(about: job)
        guard !caption.isEmpty else { return .none }
        let name = "\(job.key).\(form.ending)"
        let order = MetadataJob(
            form, of: "\(spool)/\(job.photo.file)", sha256: job.photo.sha256, caption.entries, in: folder,
            as: name)
        let file: MadeFile
        do throws(MetadataProblem) {
            file = try await made(order)
        } catch {
            return error.kind == .stopped ? .stopped : .leftOut("\(error)")
        }
        let photo = StagedPhoto(file: name, size: file.size, sha256: file.sha256, folder: folder)
        return form == .copy
            ? .copy(photo, unknownCodes: caption.unknownCodes)
            : .sidecar(photo, unknownCodes: caption.unknownCodes)
    }

    /// What may pass is tried once more, and then the photo goes without.
    private func made(_ order: MetadataJob) async throws(MetadataProblem) -> MadeFile {
        do throws(MetadataProblem) {
            return try await pool.make(order)
        } catch {
            guard error.kind == .passing else { throw error }
            return try await pool.make(order)
        }
    }

    /// By its first bytes. Nothing for what is no photo: a video, a voice memo, a sidecar of the camera's own.
    private func form(of job: Job) throws -> MetadataJob.Form? {
        let file = try ReadableFile(path: "\(spool)/\(job.photo.file)")
        switch FileKind(of: try file.read(0..<min(16, file.size))) {
        case .jpeg: return .copy
        case .tiff, .bigTIFF, .olympusRaw, .panasonicRaw, .fujifilmRaw, .canonRaw, .heif, .png:
            return .sidecar
        case .mp4, .quickTime, .gif, .bmp, .avi, .wav, .riff, nil: return nil
        }
    }

    /// A file that cannot be read while the bridge runs is as it was: an editor may be saving it.
    private func codes() throws -> CodeRoster {
        guard let path = settings.roster.flatMap({ Directory.absolute($0) }) else { return CodeRoster() }
        do {
            let bytes = try ReadableFile.contents(of: path, limit: CodeRoster.mostBytes)
            if let roster, roster.bytes == bytes { return roster.codes }
            let codes = try CodeRoster(bytes)
            roster = (bytes, codes)
            return codes
        } catch {
            guard let roster else { throw error }
            return roster.codes
        }
    }

    // MARK: What is kept

    private func kept(_ job: Job, in directory: Directory) throws -> CaptionedFile? {
        let name = KeptCaption.name(of: job)
        guard try directory.facts(of: name) != nil else { return nil }
        let note = try ReadableFile.contents(of: "\(directory.path)/\(name)", limit: Self.mostNote)
        guard let kept = KeptCaption.read(note, in: folder) else { return nil }
        guard let photo = kept.photo else { return kept }
        // One that was damaged meanwhile is made again.
        guard try directory.facts(of: photo.file)?.size == photo.size,
            "\(try ReadableFile(path: "\(folder)/\(photo.file)").sha256())" == photo.sha256
        else { return nil }
        return kept
    }

    private func keep(_ made: CaptionedFile, _ job: Job, in directory: Directory) throws {
        _ = try writeAtomically(KeptCaption.note(made), to: KeptCaption.name(of: job), in: directory)
    }

    // MARK: Tidying up

    /// What the ledger knows to be delivered is not needed any more.
    nonisolated func note(_ event: UploadEvent) {
        guard case .delivered(let job, _, _) = event, job.kind == .direct else { return }
        delivered.post(job.key)
        signal.fire()
    }

    /// Until the task is cancelled.
    nonisolated func run() async {
        await removeLeftovers()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.pool.run() }
            group.addTask {
                while !Task.isCancelled {
                    await self.signal.waitUnlessCancelled()
                    await self.remove(self.delivered.takeAll())
                }
            }
        }
    }

    private func remove(_ keys: [String]) {
        removing { directory in
            for name in keys.flatMap({ KeptCaption.names(of: $0) }) {
                if try directory.facts(of: name) != nil { try directory.remove(name) }
            }
        }
    }

    /// What a crash has left of jobs that have ended.
    private func removeLeftovers() {
        removing { directory in
            let reader = try LedgerReader(path: database)
            for name in try directory.names(limit: Self.mostLeftovers) {
                let key = String(name.prefix { $0 != "." })
                if try !reader.isOpen(jobWithKey: key) { try directory.remove(name) }
            }
        }
    }

    private func removing(_ body: (Directory) throws -> Void) {
        do {
            try body(try Directory.make(path: folder, mode: 0o700))
        } catch {
            // It takes room and does no harm; the next start tries again.
            return
        }
    }
}

extension MetadataJob.Form {
    var ending: String {
        switch self {
        case .copy: "jpg"
        case .sidecar: "xmp"
        }
    }
}
