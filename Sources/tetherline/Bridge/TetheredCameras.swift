import Posix
import Synchronization
import Transfer

/// The cameras of a bridge while it runs: those that its start named, and those that a search brings and takes away.
final class TetheredCameras: Sendable {
    private struct Tether {
        let camera: CameraTransfer
        let leaving = Signal()
    }

    private struct State {
        var tethers: [Tether] = []
        var waiting: [Tether] = []
    }

    private let state = Mutex(State())
    private let signal = Signal()

    var all: [CameraTransfer] { state.withLock { $0.tethers.map(\.camera) } }

    subscript(place: String) -> CameraTransfer? { all.first { $0.place == place } }

    /// No other one is at its place.
    func begin(_ camera: CameraTransfer) {
        let tether = Tether(camera: camera)
        state.withLock { state in
            state.tethers.append(tether)
            state.waiting.append(tether)
        }
        signal.fire()
    }

    /// Its connection ends in order.
    func leave(_ place: String) {
        state.withLock { $0.tethers.first { $0.camera.place == place } }?.leaving.fire()
    }

    /// Until the task is cancelled. `onEnd` is told where nothing is tethered any more.
    func run(onEnd: @escaping @Sendable (_ place: String) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let waiting = state.withLock { state -> [Tether] in
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for tether in waiting {
                    group.addTask {
                        await Self.live(tether)
                        // At the end of the bridge it is still asked how it was.
                        if Task.isCancelled { return }
                        self.forget(tether.camera)
                        onEnd(tether.camera.place)
                    }
                }
                await signal.waitUnlessCancelled()
            }
        }
    }

    private func forget(_ camera: CameraTransfer) {
        state.withLock { state in state.tethers.removeAll { $0.camera === camera } }
    }

    private static func live(_ tether: Tether) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await tether.camera.run() }
            group.addTask { await tether.leaving.waitUnlessCancelled() }
            await group.next()
            group.cancelAll()
        }
    }
}
