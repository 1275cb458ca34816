import Basics
import Bridge
import Camera
import Digest
import Posix
import Store
import Transfer

/// A folder of the operator's as a shelf: the camera's folders and names, nothing overwritten, what was cut kept beside its
/// place under a hidden name and gone on with by the next command. On a thread of its own: every call here may block.
actor DownloadFolder: PhotoShelf {
    private nonisolated let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let top: Directory
    private let isDurable: Bool
    /// Paths that this run has promised to a photo, whether they are written yet or not.
    private var promised: Set<String> = []
    /// Why the disk last did not do what was asked of it.
    private(set) var lastFailure: DiskError?
    /// The place that each photo was given, so that a second try goes to the same one.
    private var places: [CaptureID: Target] = [:]
    private var files: [CaptureID: StagedFile] = [:]

    /// Names tried before the operator is told to tidy up.
    private static let mostNumbers = 9999

    private struct Target {
        let directory: Directory
        let name: String
        let partialName: String
        let date: Int64?
    }

    init(_ top: Directory, isDurable: Bool, executor: ThreadExecutor) {
        self.top = top
        self.isDurable = isDurable
        self.executor = executor
    }

    // MARK: Names

    /// Decides where a photo goes. What is there already is told with its size.
    func place(_ capture: CaptureID, _ offer: Offer) throws(DiskError) -> (path: String, size: UInt64)? {
        let identity = offer.identity
        let size = offer.hasFinalSize ? identity.size : nil
        let date = identity.fileTime
        let name = SafeName.component(identity.name, fallback: "object")
        return try translating { () throws(SystemError) in
            var directory = top
            for folder in identity.folders {
                directory = try directory.subdirectory(SafeName.component(folder, fallback: "folder"))
            }
            // Its size is compared below, since the one that the camera claims may have been found to be wrong.
            var walk = NameWalk(NameCandidates(name, numbers: Self.mostNumbers), size: nil)
            var found: FileFacts?
            while true {
                switch walk.step {
                case .look(let candidate):
                    if promised.contains(Self.promise(directory, candidate)) {
                        walk.saw(.other)
                        continue
                    }
                    found = try directory.facts(of: candidate)
                    walk.saw(found.map { $0.kind == .file ? .file(size: $0.size) : .other } ?? .nothing)
                case .compare(let candidate):
                    guard let found else { preconditionFailure("what is compared was looked at") }
                    walk.compared(
                        isSame: try isIt(candidate, found, in: directory, size: size, date: date))
                case .claim(let candidate):
                    places[capture] = Target(
                        directory: directory, name: candidate, partialName: identity.partialName(candidate),
                        date: date)
                    walk.claimed(.done)
                case .ended(.has(let candidate, let wasThere)):
                    promised.insert(Self.promise(directory, candidate))
                    return wasThere ? found.map { ("\(directory.path)/\(candidate)", $0.size) } : nil
                case .ended(.noneFree), .ended(.contested), .ended(.unclaimed):
                    throw Self.noFreeName(name, directory)
                }
            }
        }
    }

    /// Only what has the photo's size and its date is the photo; a name alone says nothing. Where the camera names no size,
    /// or one that was found to be wrong when the photo was fetched, name and date have to do.
    private func isIt(
        _ name: String, _ facts: FileFacts, in directory: Directory, size: UInt64?, date: Int64?
    ) throws(SystemError) -> Bool {
        guard date.map({ $0 == facts.modified }) ?? (size != nil) else { return false }
        guard let size, facts.size != size else { return true }
        do throws(SystemError) {
            return try StagedFile(in: directory, reading: name).note(named: Self.claimedSize) == String(size)
        } catch {
            // It is another user's file.
            guard error.kind == .notAllowed else { throw error }
            return false
        }
    }

    /// What the camera said of a photo's size that came out as another, kept with the file.
    private static let claimedSize = "tetherline.claimed-size"

    // MARK: The shelf

    func lack(ofRoomFor size: UInt64, of capture: CaptureID?) -> String? { nil }

    func open(_ capture: Capture, _ offer: Offer, mayResume: Bool) throws(DiskError) -> IncomingPhoto {
        guard let place = places[capture.id] else {
            preconditionFailure("a photo has a place before it is opened")
        }
        let size = offer.hasFinalSize ? offer.identity.size : nil
        return try translating { () throws(SystemError) in
            let file = try StagedFile(in: place.directory, partialName: place.partialName)
            var kept = try file.size()
            if kept > 0, !mayResume || kept < IncomingPhoto.leastKept || kept > (size ?? 0) {
                try file.truncate(to: 0)
                kept = 0
            }
            try file.preallocate(size ?? 0)
            files[capture.id] = file
            return IncomingPhoto(capture: capture.id, file: RealFile(file: file), kept: kept)
        }
    }

    nonisolated func sink(
        _ incoming: IncomingPhoto, verified: @escaping @Sendable (UInt64) -> Void
    ) -> any PayloadSink {
        FileSink(file: incoming.file)
    }

    func hash(_ incoming: IncomingPhoto, into hasher: SHA256) throws(DiskError) {
        try Spool.hash(incoming.file, upTo: incoming.kept, into: hasher)
    }

    func bytes(of incoming: IncomingPhoto, _ range: Range<UInt64>) throws(DiskError) -> [UInt8] {
        try incoming.file.read(range.count, at: range.lowerBound)
    }

    /// Gives a whole file its name. Another program may have taken the one that was free.
    func finish(
        _ incoming: IncomingPhoto, _ order: FinishOrder, modified: Int64?
    ) throws(DiskError) -> ShelfFinish {
        guard let place = places[order.capture], let file = files[order.capture] else {
            preconditionFailure("a photo is finished after it was opened")
        }
        let inspection = try FileInspection(of: incoming.file, order)
        if case .refused(let reason) = inspection { return reason }
        return try translating { () throws(SystemError) in
            // A disk that keeps no such notes costs another fetch the next time.
            if inspection.doubts.contains(.size), order.offer.hasFinalSize {
                _ = try file.note(String(order.offer.identity.size), as: Self.claimedSize)
            }
            if let date = place.date { try file.setModified(date) }
            let name = try publish(file, at: place)
            files[order.capture] = nil
            return .whole(file: "\(place.directory.path)/\(name)", doubts: inspection.doubts)
        }
    }

    /// Whatever has come to its name since it was promised is another program's.
    private func publish(_ file: StagedFile, at place: Target) throws(SystemError) -> String {
        var walk = NameWalk(
            NameCandidates(place.name, numbers: Self.mostNumbers), size: nil, claimsUnseen: true)
        while true {
            switch walk.step {
            case .look(let name): walk.saw(try place.directory.facts(of: name) == nil ? .nothing : .other)
            case .compare: walk.compared(isSame: false)
            case .claim(let name):
                let publication = try file.publish(as: name, isDurable: isDurable)
                walk.claimed(publication == .published ? .done : .taken)
            case .ended(.has(let name, _)): return name
            case .ended(.noneFree), .ended(.contested), .ended(.unclaimed):
                throw Self.noFreeName(place.name, place.directory)
            }
        }
    }

    private static func promise(_ directory: Directory, _ name: String) -> String {
        SafeName.collisionKey("\(directory.path)/\(name)")
    }

    private static func noFreeName(_ name: String, _ directory: Directory) -> SystemError {
        SystemError("finding a free name for \(name)", 17, on: directory.path)
    }

    func discard(_ capture: CaptureID) throws(DiskError) {
        guard let place = places[capture] else { return }
        files[capture] = nil
        try translating { () throws(SystemError) in
            if try place.directory.facts(of: place.partialName) != nil {
                try place.directory.remove(place.partialName)
            }
        }
    }

    func remove(_ file: String) {}

    private func translating<Result>(_ body: () throws(SystemError) -> Result) throws(DiskError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            let failure = DiskError(error)
            lastFailure = failure
            throw failure
        }
    }
}

/// The end of a fetch: a partial file, which reaches the disk when it is whole.
private struct FileSink: PayloadSink {
    let file: any DiskFile

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        try file.write(bytes.bytes, at: offset)
    }
}

extension PhotoIdentity {
    /// The camera's local time as a file time, as far as it is one.
    fileprivate var fileTime: Int64? {
        guard let time = CivilTime(ptp: captureDate) else { return nil }
        return WallClock.seconds(
            year: time.year, month: time.month, day: time.day, hour: time.hour, minute: time.minute,
            second: time.second)
    }

    /// Hidden, beside the final name, and only good for this photo and this boot: what was not yet on the disk
    /// when the power went is not to be trusted, and only an fsync would have told.
    fileprivate func partialName(_ name: String) -> String {
        let digest = SHA256.of(Array("\(key)\u{1F}\(BootID.current)".utf8))
        let tag = "\(digest)".prefix(12)
        return ".\(SafeName.shortened(name, by: tag.count + 7)).\(tag).part"
    }
}
