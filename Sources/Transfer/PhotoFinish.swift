import Basics
import Bridge
import Posix
import Store

/// Makes one fetched photo durable, gives it its name, and commits it with its jobs: one step after the other.
struct PhotoFinish {
    let order: FinishOrder
    let file: FetchedFile
    let session: TransferSession
    let shelf: any PhotoShelf
    let time: any TimeSource

    /// `onStuck` is told why the ledger does not take it yet.
    func run(onStuck: (String) -> Void) async -> FinishEnd {
        do throws(DiskError) {
            let modified = order.offer.identity.takenAt.map {
                $0 - session.wall.localOffset(at: session.wall.wallNow)
            }
            switch try await shelf.finish(file.incoming, order, modified: modified) {
            case .whole(let name, let doubts): return await commit(name, doubts, onStuck)
            case .wrongLength(let found):
                try await shelf.discard(order.capture)
                return .wrongLength(found: found)
            case .foreignBeginning(let reason):
                try await shelf.discard(order.capture)
                return .foreignBeginning(reason)
            case .cutShort(let reason):
                try await shelf.discard(order.capture)
                return .cutShort(reason)
            }
        } catch {
            return .disk(error.meaning, "\(error)")
        }
    }

    /// The photo is whole and has its name: only the ledger has to be told, as often as it takes.
    private func commit(
        _ name: String, _ doubts: Set<PhotoDoubt>, _ onStuck: (String) -> Void
    ) async -> FinishEnd {
        let photo = StagedPhoto(file: name, size: order.size, sha256: file.sha256, doubts: doubts)
        while true {
            do {
                let staging = try await session.ledger.stage(
                    order.capture, photo, skipsDuplicates: session.settings.skipsDuplicates)
                switch staging {
                case .staged: return .staged(photo)
                case .duplicate(let other):
                    await removeDuplicate(name, onStuck)
                    return .duplicate(of: other)
                }
            } catch let error as CaptureMismatch {
                return .unwritten("\(error)")
            } catch {
                onStuck("\(error)")
                // Ending: the next start finds the file and tells the ledger.
                guard await pause() else { return .unwritten("\(error)") }
            }
        }
    }

    /// The row says that it is not needed: what a disk refuses to let go of now, the next start looks at again.
    private func removeDuplicate(_ name: String, _ onStuck: (String) -> Void) async {
        for _ in 0..<Self.removals {
            do throws(DiskError) {
                return try await shelf.remove(name)
            } catch {
                onStuck("\(error)")
            }
            guard await pause() else { return }
        }
    }

    private static let removals = 5

    private func pause() async -> Bool {
        do {
            try await time.sleep(until: time.now + TransferMachine.holdPause)
            return true
        } catch {
            return false
        }
    }
}
