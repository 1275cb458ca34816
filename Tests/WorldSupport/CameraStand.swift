package import Basics
package import Camera
package import Link
package import PTP
import Posix
package import Simulator
package import TestSupport

/// A camera in memory, and what a client connects to it with.
package final class CameraStand: LinkOpening {
    package typealias Executor = SerialExecutor & TaskExecutor

    package let camera: SimulatedCamera
    package let target: String
    private let executor: any Executor
    private let time: any TimeSource
    private let incoming = Mailbox<any ByteLink>()
    private let serving: Task<Void, Never>
    private let connections = Shared(0)
    /// What goes wrong with each link; may be changed at any time.
    package let plan: Shared<@Sendable (_ connection: Int, Channel) -> FaultPlan>

    package init(
        _ camera: SimulatedCamera, at place: String, executor: any Executor, time: any TimeSource,
        plan: @escaping @Sendable (Int, Channel) -> FaultPlan = { _, _ in FaultPlan() }
    ) {
        self.camera = camera
        self.executor = executor
        self.time = time
        self.plan = Shared(plan)
        target = place
        serving = Task(executorPreference: executor) { [incoming, camera] in
            let waiting = Shared<[any ByteLink]>([])
            await camera.run {
                while true {
                    if let link = waiting.change({ $0.isEmpty ? nil : $0.removeFirst() }) { return link }
                    guard let more = await incoming.next() else { throw LinkError.closedHere }
                    waiting.change { $0 += more }
                }
            }
        }
    }

    deinit { close() }

    package func close() {
        incoming.close()
        serving.cancel()
    }

    package func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        let (ours, theirs) = MemoryLink.pair(names: ("camera", "client"))
        incoming.post(theirs)
        let connection = connections.change { count in
            if channel == .command { count += 1 }
            return count
        }
        return FaultyLink(ours, plan.value(connection, channel), time: time)
    }

    /// A plain PTP/IP client of it.
    package func connector(_ change: (inout GenericSettings) -> Void = { _ in }) throws -> GenericConnector {
        guard let identity = ClientIdentity(id: String(repeating: "0", count: 32), name: "bench") else {
            throw FileProblem(path: target, number: 0)
        }
        var settings = GenericSettings(identity: identity)
        change(&settings)
        return GenericConnector(place: target, settings: settings, executor: executor, time: time) { _ in self
        }
    }
}
