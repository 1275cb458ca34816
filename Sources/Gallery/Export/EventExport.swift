package import Basics
import Digest
package import Posix

/// Writes an event as a folder of files that need no server: pages, pictures, facts and checksums. A run after another, or
/// after its end by force, brings what is missing and takes away what guests see no more.
package struct EventExport: Sendable {
    package enum Originals: Sendable {
        /// Where the event gives them to its guests.
        case asGuests
        case always
        case never
    }

    package struct Progress: Equatable, Sendable {
        package var photos = 0
        package var of = 0
        /// Files that were copied, and their bytes.
        package var copied = 0
        package var bytes: UInt64 = 0
        /// Files that were there already.
        package var kept = 0
    }

    package struct Report: Equatable, Sendable {
        package var photos = 0
        package var pages = 0
        package var copied = 0
        package var bytes: UInt64 = 0
        package var kept = 0
        /// Files of photos that guests see no more, or of originals that are not exported any more.
        package var removed = 0
        /// What could not be exported as it should be, a sentence each; no more than so many.
        package var problems: [String] = []
        /// How many files that are.
        package var failed = 0

        static let mostProblems = 100
    }

    /// The folder's disk does not take any more.
    package struct Stopped: Error, CustomStringConvertible {
        package let cause: SystemError

        package var description: String {
            let said = "\(cause)"
            return
                "\(said)\(said.hasSuffix(".") ? "" : ".") What was written stays; the same command goes on from here"
        }
    }

    private let reader: ReaderPool
    private let source: any ExportSource
    private let originals: Originals
    private let language: Language
    private let zones: TimeZones
    private let time: any TimeSource
    private let onStep: @Sendable () throws -> Void
    private let onProgress: @Sendable (Progress) -> Void
    private let threads = DiskThreads()

    /// A store that is away for a moment is asked again.
    private static let tries = 5

    /// `onStep` runs before and after each file gets its name and before each page, and may end the export there. `onProgress`
    /// runs after each photo.
    package init(
        _ database: GalleryDatabase, from source: any ExportSource, originals: Originals = .asGuests,
        language: Language = .english, zones: TimeZones = .system, time: any TimeSource,
        onStep: @escaping @Sendable () throws -> Void = {},
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        reader = database.reader
        self.source = source
        self.originals = originals
        self.language = language
        self.zones = zones
        self.time = time
        self.onStep = onStep
        self.onProgress = onProgress
    }

    /// `event` is its id, `path` the folder.
    package func run(_ event: String, to path: String) async throws -> Report {
        let most = ExportPlan.mostPhotos
        guard let rows = try await reader({ try $0.exportRows(of: event, limit: most) }) else {
            throw APIError.notFound("event")
        }
        guard rows.rows.count <= most else {
            throw ExportRefusal(
                "the event has more than \(most) photos, which is the most that one export holds")
        }
        var plan = ExportPlan(rows, originals: gives(rows.event), zones)
        let files = plan.files
        var report = Report()
        let (folder, removed) = try await onDisk {
            let folder = try ExportFolder(path, of: rows.event)
            return (folder, try folder.makeWay(for: files))
        }
        report.removed = removed
        var brought = try await bring(plan.items, to: folder, &report)
        let gone = try await lookAgain(&plan)
        for file in gone where brought.removeValue(forKey: file.path) != nil { report.removed += 1 }
        for index in plan.items.indices {
            plan.items[index].files = plan.items[index].files.filter { brought[$0.value.path] != nil }
        }
        report.photos = plan.items.count
        let (finished, hashes) = (plan, brought)
        let pages = try await onDisk {
            try folder.removeAll(of: gone)
            return try ExportSite(finished, hashes, in: language).write(to: folder, onStep: onStep)
        }
        report.pages = pages.lists.reduce(0) { $0 + $1.contents.count }
        report.problems += pages.left.prefix(Report.mostProblems - report.problems.count).map { name in
            "section '\(name)' has no pages of its own: an export has at most \(ExportPages.most) pages; "
                + "its photos are among all photos"
        }
        return report
    }

    private func gives(_ event: Event) -> Bool {
        switch originals {
        case .asGuests: event.allowsOriginals
        case .always: true
        case .never: false
        }
    }

    /// Leaves out what was hidden, deleted or taken back since the list was read. The files of it.
    private func lookAgain(_ plan: inout ExportPlan) async throws -> [ExportFile] {
        let id = plan.event.id
        guard let now = try await reader({ try $0.exportLook(at: id) }) else {
            throw APIError.notFound("event")
        }
        var gone = plan.items.filter { !now.photos.contains($0.photo.id) }.flatMap { Array($0.files.values) }
        plan.items.removeAll { !now.photos.contains($0.photo.id) }
        if !gives(now.event) {
            for index in plan.items.indices {
                if let file = plan.items[index].files.removeValue(forKey: .original) { gone.append(file) }
            }
        }
        return gone
    }

    private func onDisk<Result: Sendable>(_ work: @Sendable () throws -> Result) async throws -> Result {
        do {
            return try await threads.perform(work)
        } catch let error as SystemError {
            throw Stopped(cause: error)
        }
    }

    // MARK: Files

    private enum Outcome: Sendable {
        case kept(SHA256Digest)
        case copied(SHA256Digest)
        /// Nothing for a photo that is not to be exported any more.
        case damaged(String?)
    }

    private typealias Ended = [(file: ExportFile, outcome: Outcome)]

    /// The hashes of all files that are there in the end, by their paths.
    private func bring(
        _ items: [ExportItem], to folder: ExportFolder, _ report: inout Report
    ) async throws -> [String: SHA256Digest] {
        var brought: [String: SHA256Digest] = [:]
        var progress = Progress(of: items.count)
        func take(_ ended: Ended?, _ report: inout Report) {
            guard let ended else { return }
            progress.photos += 1
            for (file, outcome) in ended {
                switch outcome {
                case .kept(let hash):
                    brought[file.path] = hash
                    progress.kept += 1
                case .copied(let hash):
                    brought[file.path] = hash
                    progress.copied += 1
                    progress.bytes += file.size
                case .damaged(let sentence?):
                    report.failed += 1
                    if report.problems.count < Report.mostProblems { report.problems.append(sentence) }
                case .damaged(nil): break
                }
            }
            onProgress(progress)
        }
        try await withThrowingTaskGroup(of: Ended.self) { group in
            for (index, item) in items.enumerated() {
                if index >= source.readsAtOnce { take(try await group.next(), &report) }
                group.addTask { try await bring(item, to: folder) }
            }
            while let ended = try await group.next() { take(ended, &report) }
        }
        (report.copied, report.kept, report.bytes) = (progress.copied, progress.kept, progress.bytes)
        return brought
    }

    private func bring(_ item: ExportItem, to folder: ExportFolder) async throws -> Ended {
        var ended: Ended = []
        for kind in ExportKind.allCases {
            guard let file = item.files[kind] else { continue }
            try Task.checkCancellation()
            ended.append((file, try await bring(file, kind, of: item.photo, to: folder)))
        }
        return ended
    }

    private func bring(
        _ file: ExportFile, _ kind: ExportKind, of photo: Photo, to folder: ExportFolder
    ) async throws -> Outcome {
        if let hash = try await onDisk({ try folder.hash(of: file) }) { return .kept(hash) }
        let part = try await onDisk { try folder.part() }
        let hash: SHA256Digest
        do {
            hash = try await copy(file, into: part)
        } catch let damage as ExportDamage {
            try await onDisk { try part.discard() }
            // It may have been deleted since the list was read, and its objects with it.
            guard let now = try await reader({ try $0.photo(photo.id) }), !now.isHidden else {
                return .damaged(nil)
            }
            let advice =
                kind == .tile
                ? "the page shows the thumb instead; put the tile back from a backup if there is one"
                : "put it back from a backup, or delete the photo"
            return .damaged(
                "photo \(photo.id) (\(photo.name)): its \(kind.rawValue) \(damage.reason); \(advice)")
        }
        try onStep()
        try await onDisk { try folder.publish(part, as: file, hash) }
        try onStep()
        return .copied(hash)
    }

    /// Copies it, and reads what was written.
    private func copy(_ file: ExportFile, into part: StagedFile) async throws -> SHA256Digest {
        var tries = 0
        while true {
            do {
                try await source.copy(file.key, of: file.size, into: part, on: threads)
                break
            } catch let problem as StorageProblem where problem.meaning == .unavailable && tries < Self.tries
            {
                tries += 1
                try await time.sleep(until: time.now + .seconds(1 << tries))
            } catch let error as SystemError {
                throw Stopped(cause: error)
            }
        }
        let (size, hash) = try await onDisk { (try part.size(), try part.sha256()) }
        guard size == file.size else { throw ExportDamage.size(size, insteadOf: file.size) }
        if let known = file.sha256, known != "\(hash)" {
            throw ExportDamage(reason: "has the SHA-256 \(hash) in the store instead of \(known)")
        }
        return hash
    }
}
