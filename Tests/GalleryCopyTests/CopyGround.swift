import Basics
import Bridge
import GalleryCopy
import Posix
import Synchronization
import TestSupport

/// A calendar that stands still until a test moves it.
final class CopyWall: WallTime {
    static let start = Timestamp(milliseconds: 1_795_000_000_000)
    private let now = Mutex(start)

    var wallNow: Timestamp { now.withLock { $0 } }
    func localOffset(at moment: Timestamp) -> Int64 { 0 }
    func go(_ span: Duration) { now.withLock { $0 = $0 + span } }
}

/// A copy in a folder of its own.
struct CopyGround: Sendable {
    static let thread = ThreadExecutor(name: "test copy")
    static let server = "https://gallery.example/"
    static let event = "00000000-0000-4000-8000-000000000001"
    static let photo = "00000000-0000-4000-8000-0000000000aa"

    let folder: TemporaryFolder
    let wall = CopyWall()
    let remarks = Shared<[String]>([])

    init() throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
    }

    var path: String { folder.file(CopyDatabase.fileName) }

    func open(seed: UInt64 = 1) -> GalleryCopy {
        GalleryCopy(
            path: path, executor: Self.thread, wall: wall, random: SeededSource(seed),
            report: { remark in remarks.change { $0.append(remark) } })
    }

    /// The record of a photo as a gallery tells it.
    func told(
        _ id: String = photo, at moment: Timestamp = CopyWall.start,
        _ change: (inout GalleryRecord.Photo) -> Void = { _ in }
    ) -> GalleryRecord {
        var photo = GalleryRecord.Photo(event: Self.event)
        photo.fileName = "DSC_0001.JPG"
        change(&photo)
        return GalleryRecord(.photo, id, version: RecordVersion(updatedAt: moment), content: .photo(photo))
    }
}

/// A gallery that answers what a test has laid out, and keeps what it was sent.
final class ScriptedGallery: SyncServer {
    private struct State {
        var answers: [Result<SyncAnswer, SyncFailure>] = []
        var asked: [(since: Timestamp?, changes: [OutgoingChange])] = []
        var account = "ann"
    }
    private let state = Mutex(State())

    init(_ answers: Result<SyncAnswer, SyncFailure>...) {
        state.withLock { $0.answers = answers }
    }

    var asked: [(since: Timestamp?, changes: [OutgoingChange])] { state.withLock { $0.asked } }
    func use(_ account: String) { state.withLock { $0.account = account } }
    func then(_ answers: Result<SyncAnswer, SyncFailure>...) { state.withLock { $0.answers += answers } }

    func account() async throws(SyncFailure) -> String { state.withLock { $0.account } }

    func exchange(
        since stamp: Timestamp?, _ changes: [OutgoingChange]
    ) async throws(SyncFailure) -> SyncAnswer {
        let answer = state.withLock { state in
            state.asked.append((stamp, changes))
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { throw .passing("the script is at its end") }
        return try answer.get()
    }
}

extension SyncAnswer {
    /// Of a gallery whose clock is ours.
    static func told(
        _ records: [GalleryRecord] = [], stamp: Int64 = 1, isMore: Bool = false,
        rejections: [SyncRejection] = [],
        clockAhead: Duration? = .zero
    ) -> Result<SyncAnswer, SyncFailure> {
        .success(
            SyncAnswer(
                stamp: CopyWall.start + .milliseconds(stamp), records: records, isMore: isMore,
                rejections: rejections, clockAhead: clockAhead))
    }
}
