import Basics
import Bridge
import PTP
import Posix

/// A Sony in "Send to Computer": it shows its card once it has been told that a computer begins.
///
/// "One session per activation": when the work is done the body is told so, and may switch itself off. Until a person
/// chooses Send to Computer again no client is answered.
struct SonyComputerDriver: MakerDriver {
    static let name = SonyDriver.name

    let plain: GenericDriver

    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        do throws(CameraError) {
            try await say(SonySendToComputer.start)
        } catch {
            var failure = CameraFailure(error)
            failure.advice =
                "Choose Send to Computer on the camera again: it serves one connection for each time."
            throw failure
        }
    }

    func end() async {
        do throws(CameraError) {
            try await say(SonySendToComputer.end)
        } catch {
            // It is told as far as the connection still stands; a body that has gone needs no goodbye.
            plain.changes.push(
                .remark("the camera was not told that it may switch itself off: \(error.problem)"))
        }
    }

    private func say(_ data: [UInt8]) async throws(CameraError) {
        let session = plain.session
        _ = try await session.demand(
            Call(.sonySendToComputer, [SonySendToComputer.parameter], data: .outgoing(data)), about: nil)
        _ = try await session.demand(
            Call(
                .sonySendToComputerStatus, [SonySendToComputer.parameter],
                data: .incoming(limit: DatasetLimits.sonyStatusBytes)), about: nil)
    }
}

/// A Sony in a session for content transfer: its card is shown and listed like any other, and nothing new is told.
struct SonyTransferDriver: MakerDriver {
    static let name = SonyDriver.name
    /// As an operator writes it behind `sony:`.
    static let mode = "transfer"
    /// "Session mode: 0 remote, 1 content transfer, 2 both."
    static let session = SessionOpening(.sonyOpenSession, further: [1])

    let plain: GenericDriver

    private static let byRemote: UInt32 = 2
    private static let readyWithin = Duration.seconds(20)
    private static let storeWithin = Duration.seconds(2)
    private static let pause = Duration.milliseconds(250)

    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        let session = plain.session
        let greeting = SonyGreeting(session: session, wanted: await plain.traits.sony.version)
        let version = try await greeting.run().version
        let store = Signal()
        plain.pushed.take { notice in
            if notice.code == .storeAdded { store.fire() }
        }
        // What is told later of cards is told to those who follow the changes.
        defer { plain.pushed.take { [changes] notice in CameraChange(notice).map { changes.push($0) } } }
        do throws(CameraError) {
            _ = try await session.demand(Call(.sonySetTransferMode, [Self.byRemote, 1, 0]), about: nil)
            try await waitForCard(version)
            // An empty body adds no store.
            await store.wait(until: session.time.now + Self.storeWithin, of: session.time)
        } catch {
            var failure = CameraFailure(error)
            failure.advice =
                "Leave out ':\(Self.mode)' to tether the camera as it shoots, or look whether its card is in and nothing plays back."
            throw failure
        }
        plain.unseen.met(.sonyContentTransfer)
        await plain.give(parts: [PartOperation(.sonyPartialLargeObject, .offset64)])
    }

    /// "Then wait for StoreAdded and property 0xD295 = 1."
    private func waitForCard(_ version: SonyVersion) async throws(CameraError) {
        let session = plain.session
        let until = session.time.now + Self.readyWithin
        while session.time.now < until {
            let list = try await session.ask(
                .sonyAllProperties, [0], limit: DatasetLimits.sonyPropertiesBytes
            ) { bytes throws(Malformed) in try SonyPropertyList(decoding: bytes, version: version) }
            // A body without the property has nothing to wait for.
            guard let enabled = list[.sonyTransferEnabled]?.number, enabled != 1 else { return }
            do {
                try await session.time.sleep(until: session.time.now + Self.pause)
            } catch {
                throw session.error(.cancelled)
            }
        }
        throw session.error(.timedOut(.sonySetTransferMode, after: Self.readyWithin))
    }

    func end() async {
        do throws(CameraError) {
            _ = try await plain.session.demand(
                Call(.sonySetTransferMode, [Self.byRemote, 0, 0]), about: nil)
        } catch {
            // A connection that is over has ended the mode as well.
            plain.changes.push(.remark("content transfer was not ended on the camera: \(error.problem)"))
        }
    }
}
