import Bridge
import Camera
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// A camera, its client, and the time of both, which is only what the test says.
struct HangScene {
    let clock = ManualClock()
    let stand: GenericStand
    let connector: GenericConnector

    init(
        _ script: String, photos: Int = 3, size: UInt64 = 200_000, rate: UInt64? = nil,
        serial: String = "0001", model: CameraModel = .generic, answers: AlteredPersonality.Change? = nil
    ) throws {
        stand = GenericStand(
            try Rig(
                script, photos: photos, size: size, clock: clock, model: model,
                { settings, card in
                    settings.rate = rate
                    card.serial = serial
                }, answers: answers))
        connector = try stand.connector(time: clock)
    }

    /// How the body was known when it was left last.
    let left = Shared<KnownBody?>(nil)

    /// Runs it, and from when it has rung lets time pass to the next moment that a task sleeps for, when nothing else
    /// is under way.
    private func timed(
        from begun: Signal, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let isOver = Shared(false)
        let (reactor, clock) = (stand.rig.reactor, clock)
        let task = Task(executorPreference: reactor) {
            defer {
                isOver.change { $0 = true }
                begun.fire()
            }
            try await body()
        }
        await begun.wait()
        let passing = Task {
            while !isOver.value {
                await clock.waitForSleepers(1)
                // Links that stand, and both their ends, are one thread's: what was under way is done by then.
                // Tasks of no thread's own, that a busy machine may keep waiting, come before those in the background.
                for turn in 0..<200 where !isOver.value {
                    await Task(executorPreference: reactor) {}.value
                    if turn % 10 == 0 { await Self.turnInTheBackground() }
                }
                guard !isOver.value, let next = clock.nextDeadline, next > clock.now else { continue }
                clock.advance(by: next - clock.now)
            }
        }
        let result = await task.result
        // The loop above may be waiting for a sleeper: this is one.
        let last = Task { try await clock.sleep(until: .seconds(1 << 40)) }
        await passing.value
        last.cancel()
        try result.get()
    }

    private static func turnInTheBackground() async {
        // Waiting for the task itself would lift it out of the background.
        await withCheckedContinuation { turn in
            Task.detached(priority: .background) { turn.resume() }
        }
    }

    /// One connection, over when `use` is. Gives how long that took, and why it ended.
    func met(
        knowing known: KnownBody? = nil,
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Void
    ) async throws -> (time: Duration, failure: CameraFailure?) {
        let (begun, began, ended) = (Signal(), Shared(Duration.zero), Shared(Duration.zero))
        let failure = Shared<CameraFailure?>(nil)
        try await timed(from: begun) { [connector, left, clock] in
            try await connector.connected(knowing: known, onStep: { _ in }) { driver in
                began.change { $0 = clock.now }
                begun.fire()
                do {
                    try await use(driver)
                } catch let error as CameraFailure {
                    failure.change { $0 = error }
                }
                ended.change { $0 = clock.now }
                let body = await driver.body
                left.change { $0 = body }
            }
        }
        return (ended.value - began.value, failure.value)
    }

    /// One connection that may come to nothing on its way, or need time for that: it passes from the beginning.
    func tried(
        knowing known: KnownBody? = nil, by other: GenericConnector? = nil,
        _ use: @escaping @Sendable (any CameraDriver) async throws -> Void = { _ in }
    ) async throws -> (time: Duration, failure: CameraFailure?) {
        let (begun, failure) = (Signal(), Shared<CameraFailure?>(nil))
        let began = clock.now
        begun.fire()
        try await timed(from: begun) { [connector = other ?? connector, left] in
            do {
                try await connector.met(knowing: known) { driver in
                    try await use(driver)
                    let body = await driver.body
                    left.change { $0 = body }
                }
            } catch let error as CameraFailure {
                failure.change { $0 = error }
            }
        }
        return (clock.now - began, failure.value)
    }
}
