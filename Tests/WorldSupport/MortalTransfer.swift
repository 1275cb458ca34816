package import Basics
package import Bridge
package import Camera
package import Digest
package import Store
import Transfer

/// The ledger of a transfer that may be killed before and after each call.
package final class MortalTransferLedger: TransferLedger {
    private let ledger: Ledger
    private let life: Mortality

    package init(_ ledger: Ledger, _ life: Mortality) {
        self.ledger = ledger
        self.life = life
    }

    private func effect<Value>(_ body: () async throws -> Value) async throws -> Value {
        try life.effect()
        let value = try await body()
        try life.effect()
        return value
    }

    package func meet(_ camera: CameraIdentity, at address: String) async throws -> CameraID {
        try await effect { try await ledger.meet(camera, at: address) }
    }

    package func bodies(at address: String) async throws -> [KnownBody] {
        try await ledger.bodies(at: address)
    }

    package func body(_ camera: CameraIdentity) async throws -> KnownBody? { try await ledger.body(camera) }

    package func bodies(like body: KnownBody, at address: String) async throws -> [KnownBody] {
        try await ledger.bodies(like: body, at: address)
    }

    package func hasPhotos(of camera: CameraIdentity) async throws -> Bool {
        try await ledger.hasPhotos(of: camera)
    }

    package func digests(ofPhotosLike offer: Offer, of camera: CameraIdentity) async throws -> Set<String> {
        try await ledger.digests(ofPhotosLike: offer, of: camera)
    }

    package func adopt(_ offers: [Offer], by camera: CameraID, _ adoption: Adoption) async throws {
        try await effect { try await ledger.adopt(offers, by: camera, adoption) }
    }

    package func note(pending adoption: Adoption?, by camera: CameraIdentity) async throws {
        try await effect { try await ledger.note(pending: adoption, by: camera) }
    }

    package func pendingAdoption(by camera: CameraIdentity) async throws -> Adoption? {
        try await ledger.pendingAdoption(by: camera)
    }

    package func learn(_ body: KnownBody) async throws { try await effect { try await ledger.learn(body) } }

    package func record(
        _ sightings: [Sighting], of camera: CameraID, in event: BridgeEvent, connection: String
    ) async throws -> [Capture] {
        try await effect { try await ledger.record(sightings, of: camera, in: event, connection: connection) }
    }

    package func beginReceiving(_ capture: CaptureID, kept: UInt64, boot: String) async throws {
        try await effect { try await ledger.beginReceiving(capture, kept: kept, boot: boot) }
    }

    package func distrust(_ capture: CaptureID) async throws {
        try await effect { try await ledger.distrust(capture) }
    }

    package func detach(_ capture: CaptureID) async throws {
        try await effect { try await ledger.detach(capture) }
    }

    package func charge(_ capture: CaptureID, _ cost: FailedFetchCost) async throws {
        try await effect { try await ledger.charge(capture, cost) }
    }

    package func name(_ capture: CaptureID, stableID: String) async throws {
        try await effect { try await ledger.name(capture, stableID: stableID) }
    }

    package func identify(_ capture: CaptureID, as offer: Offer) async throws {
        try await effect { try await ledger.identify(capture, as: offer) }
    }

    package func note(_ capture: CaptureID, verified: UInt64, boot: String) async throws {
        try await effect { try await ledger.note(capture, verified: verified, boot: boot) }
    }

    package func stage(
        _ capture: CaptureID, _ photo: StagedPhoto, skipsDuplicates: Bool
    ) async throws -> Staging {
        try await effect { try await ledger.stage(capture, photo, skipsDuplicates: skipsDuplicates) }
    }

    package func settle(_ capture: CaptureID, as state: CaptureState, because reason: String) async throws {
        try await effect { try await ledger.settle(capture, as: state, because: reason) }
    }

    package func missing(
        of camera: CameraID, in event: BridgeEvent, notSeenBy connection: String
    ) async throws -> [MissingCapture] {
        try await ledger.missing(of: camera, in: event, notSeenBy: connection)
    }

    package func deletable(of camera: CameraID, in event: BridgeEvent) async throws -> [CaptureID] {
        try await effect { try await ledger.deletable(of: camera, in: event) }
    }

    package func deleted(_ capture: CaptureID) async throws {
        try await effect { try await ledger.deleted(capture) }
    }

    package func meet(
        _ camera: CameraID, in event: BridgeEvent, _ contact: ClockContact
    ) async throws -> TakingRule {
        try await effect { try await ledger.meet(camera, in: event, contact) }
    }

    package func journal(_ entry: JournalEntry) async throws {
        try await effect { try await ledger.journal(entry) }
    }
}

/// The shelf of a transfer that may be killed before and after each change of the disk.
package struct MortalShelf: PhotoShelf {
    private let spool: Spool
    private let life: Mortality

    package init(_ spool: Spool, _ life: Mortality) {
        self.spool = spool
        self.life = life
    }

    private func effect<Value>(
        _ body: () async throws(DiskError) -> Value
    ) async throws(DiskError) -> Value {
        try pass()
        let value = try await body()
        try pass()
        return value
    }

    private func pass() throws(DiskError) {
        do throws(Mortality.Killed) {
            try life.effect()
        } catch {
            throw DiskError(.other, "killed")
        }
    }

    package func lack(ofRoomFor size: UInt64, of capture: CaptureID?) async throws(DiskError) -> String? {
        try await spool.lack(ofRoomFor: size, of: capture)
    }

    package func open(
        _ capture: Capture, _ offer: Offer, mayResume: Bool
    ) async throws(DiskError) -> IncomingPhoto {
        try await effect { () throws(DiskError) in try await spool.open(capture, offer, mayResume: mayResume)
        }
    }

    package func sink(
        _ incoming: IncomingPhoto, verified: @escaping @Sendable (UInt64) -> Void
    ) -> any PayloadSink {
        spool.sink(incoming, verified: verified)
    }

    package func hash(_ incoming: IncomingPhoto, into hasher: SHA256) async throws(DiskError) {
        try await spool.hash(incoming, into: hasher)
    }

    package func bytes(
        of incoming: IncomingPhoto, _ range: Range<UInt64>
    ) async throws(DiskError) -> [UInt8] {
        try await spool.bytes(of: incoming, range)
    }

    package func finish(
        _ incoming: IncomingPhoto, _ order: FinishOrder, modified: Int64?
    ) async throws(DiskError) -> ShelfFinish {
        try await effect { () throws(DiskError) in
            try await spool.finish(incoming, order, modified: modified)
        }
    }

    package func discard(_ capture: CaptureID) async throws(DiskError) {
        try await effect { () throws(DiskError) in try await spool.discard(capture) }
    }

    package func remove(_ file: String) async throws(DiskError) {
        try await effect { () throws(DiskError) in try await spool.remove(file) }
    }
}
