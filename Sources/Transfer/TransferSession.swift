package import Basics
package import Bridge
import Camera

/// Moves the photos of any number of cameras into one event, from the first connection to the last.
///
/// The session is bound to its event for its whole life. Each camera has a ``CameraTransfer`` on its own thread;
/// what they share is the ledger. No transfer waits for a destination: a dead uplink does not slow a shutter.
package struct TransferSession: Sendable {
    package struct Settings: Sendable {
        package var filter = CaptureFilter()
        /// The same bytes a second time in the event are not kept a second time.
        package var skipsDuplicates = true
        /// SHA-256 of what arrives. An operator who only copies files may do without.
        package var hashes = true
        /// What is taken depends on the time: the camera is asked for its own.
        package var goesByTime = true
        /// Any camera that answers is taken, also another one than was known at its address.
        package var acceptsNewBodies = false
        /// What else an operator can do who means another camera than was known there.
        package var adviceOnNewBodies = ""
        /// Told of bytes as they come.
        package var onMoved: @Sendable (UInt64) -> Void = { _ in }
        package var machine = TransferMachine.Settings()
        package var life = ConnectionLife.Settings()

        package init() {}
    }

    package let event: BridgeEvent
    package let settings: Settings
    let ledger: any TransferLedger
    let wall: any WallTime
    let random: any RandomSource
    package let boot: String
    let time: any TimeSource
    let report: @Sendable (CameraNews) -> Void
    let bodies = LiveBodies()
    let inHand = PhotosInHand()

    package init(
        event: BridgeEvent, settings: Settings, ledger: any TransferLedger, wall: any WallTime,
        random: any RandomSource, boot: String, time: any TimeSource,
        report: @escaping @Sendable (CameraNews) -> Void
    ) {
        self.event = event
        self.settings = settings
        self.ledger = ledger
        self.wall = wall
        self.random = random
        self.boot = boot
        self.time = time
        self.report = report
    }

    // MARK: Meeting a camera

    /// The connection at this place is over.
    func left(_ place: String) { bodies.left(place) }

    /// Who has been connected to, in the ledger, and what of its photos is taken.
    func greet(
        _ camera: any CameraDriver, at place: String, expecting expected: ExpectedBody,
        _ connection: any LiveConnection, _ workers: PhotoWorkers
    ) async throws -> Recognized {
        try await refuseUnknown(await camera.body, at: place, expected)
        let recognized = try await recognize(camera, at: place, expecting: expected, connection, workers)
        return try await renewed(recognized, camera)
    }

    /// The connection has a name of its own from now on. Who it is has been found out.
    func renewed(_ recognized: Recognized?, _ camera: any CameraDriver) async throws -> Recognized {
        guard var recognized else {
            preconditionFailure("a connection is given another name after its body was recognized")
        }
        let abilities = await camera.abilities
        recognized.tethering = ConnectedCamera(
            camera: recognized.tethering.camera, connection: Randomness.uuid(from: random),
            filter: settings.filter,
            canDelete: abilities.canDelete, keepAliveEvery: abilities.keepAliveEvery,
            clockDifference: settings.goesByTime
                ? try await camera.clock().map { $0 - wall.wallNow.seconds } : nil,
            handsOver: abilities.handsOver)
        return recognized
    }

    /// By how many seconds a camera's clock is ahead of local time, which is what cameras are set to.
    func clockAhead(of tethering: ConnectedCamera) -> Int64? {
        tethering.clockDifference.map { $0 - wall.localOffset(at: wall.wallNow) }
    }

    /// Addresses are given out anew, and bodies are alike: one that was never met is not taken where another was known.
    private func refuseUnknown(_ body: KnownBody, at place: String, _ expecting: ExpectedBody) async throws {
        guard !settings.acceptsNewBodies else { return }
        let known = try await bodies(at: place, expecting)
        guard let expected = known.first,
            known.allSatisfy({ $0.contradicts(body.identity, serial: body.serial) }),
            try await ledger.body(body.identity) == nil
        else { return }
        throw UnknownBody(
            place: place, expected: expected.identity, found: body.identity,
            advice: settings.adviceOnNewBodies)
    }

    /// Which of the photos that a survey found belong to the event, by the camera's own clock.
    func taking(_ survey: Survey, of tethering: ConnectedCamera?) async throws -> TakingRule? {
        guard let tethering else { return nil }
        let newest = survey.offers.filter { !$0.isInMemory }.compactMap(\.identity.takenAt).max()
        return try await ledger.meet(
            tethering.camera, in: event,
            ClockContact(difference: tethering.clockDifference, newestHeld: newest))
    }
}

/// A camera that was never met answers where another one was known.
package struct UnknownBody: Error, CustomStringConvertible {
    package let place: String
    package let expected: CameraIdentity
    package let found: CameraIdentity
    package var advice = ""

    package var description: String {
        "another camera answers at \(place): it was \(expected), it is \(found). Nothing of it was taken. Look up the address "
            + "again\(advice)."
    }
}
