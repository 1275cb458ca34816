import Basics
package import Bridge
import Camera
import Digest
import Posix
package import Simulator
package import Store
import TestSupport
import Transfer
import Upload

/// The cameras' side of an evening: cameras in memory, and the transfers that bring their photos into the spool.
package final class EveningCamera {
    package let stand: CameraStand
    package var camera: SimulatedCamera { stand.camera }
    package let place: String
    package let name: String
    /// What was shot, by the name that it has for ever, and the digest of its bytes.
    package private(set) var shot: [UInt128: (name: String, size: UInt64, sha256: String)] = [:]

    init(_ stand: CameraStand, name: String) {
        self.stand = stand
        place = stand.target
        self.name = name
    }

    /// Writes down what is on the card now.
    package func look() async throws {
        for photo in await camera.photos() where shot[photo.uniqueID] == nil {
            shot[photo.uniqueID] = (photo.name, photo.size, "\(SHA256.of(try photo.bytes()))")
        }
    }

    package func shoot() async throws {
        await camera.shoot()
        try await look()
    }
}

extension GalleryWorld {
    /// Another camera in the air, with so many photos on its card. Each has a body, and photos, of its own.
    @discardableResult
    package func add(
        _ script: String, photos: Int,
        change: (inout VirtualCard.Settings, inout SimulatedCamera.Settings) -> Void
    ) async throws -> EveningCamera {
        let number = cameras.count + 1
        var card = VirtualCard.Settings()
        card.serial = "000\(number)"
        card.seed = UInt64(number)
        card.photoSize = 20_000
        var settings = SimulatedCamera.Settings()
        settings.seed = UInt64(number)
        settings.script = try FaultScript(script)
        settings.localSeconds = { [calendar] in calendar.wallNow.seconds + 3600 }
        change(&card, &settings)
        card.apply(settings.script)
        let place = "192.168.1.\(number):15740"
        let camera = SimulatedCamera(
            card: try VirtualCard(card, photos: photos), settings: settings, executor: turns, time: clock)
        let added = EveningCamera(
            CameraStand(camera, at: place, executor: turns, time: clock), name: "camera \(number)")
        try await added.look()
        cameras.append(added)
        return added
    }

    /// The transfers of a bridge that begins, on the ledger and the spool that its predecessor left.
    func startTransfers(_ life: Mortality) async throws {
        guard !cameras.isEmpty else { return }
        let path = spool.path
        let openRoot = { @Sendable () throws(DiskError) -> any DiskFolder in try RealFolder.make(path: path) }
        _ = try await Recovery(ledger, openRoot: openRoot).run()
        var settings = TransferSession.Settings()
        settings.machine = transferSettings
        let session = TransferSession(
            event: ledgerEvent, settings: settings, ledger: MortalTransferLedger(ledger, life),
            wall: calendar,
            random: SeededSource(random.next()), boot: "the boot", time: clock,
            report: { [news] told in if !life.isDead.value { news.change { $0.append(told) } } })
        for camera in cameras {
            let spool = Spool(
                event: ledgerEvent.id, boot: "the boot", reserve: Spool.Reserve(bytes: 0), executor: turns,
                openRoot: openRoot)
            let transfer = CameraTransfer(
                session, connector: try camera.stand.connector(), shelf: MortalShelf(spool, life),
                workers: PhotoWorkers(writing: turns, hashing: turns), executor: turns, time: clock)
            transfers.append(transfer)
            transferTasks.append(Task(executorPreference: turns) { await transfer.run() })
        }
    }

    /// What is staged is delivered, as a bridge looks after it.
    func followLedger(_ ledger: Ledger, _ uploader: Uploader) {
        let following = Task(executorPreference: turns) {
            while !Task.isCancelled {
                await ledger.jobsSignal.waitUnlessCancelled()
                uploader.lookAgain()
            }
        }
        transferTasks.append(following)
    }

    /// Presses a shutter, and lets everything happen that follows without time.
    package func shoot(_ camera: EveningCamera) async throws {
        try await camera.shoot()
        await turns.idle()
    }

    // MARK: What has become of it

    package func captures() throws -> [LedgerReader.Entry] {
        var found: [LedgerReader.Entry] = []
        try LedgerReader(path: home.file(Ledger.fileName)).captures(of: ledgerEvent.id) { found.append($0) }
        return found
    }

    /// Every photo that was ever shot is in the gallery, but for those that are known to be bad.
    package func isAllThere(but bad: Set<String> = []) -> Bool {
        cameras.allSatisfy { isThere($0, but: bad) }
    }

    package func isThere(_ camera: EveningCamera, but bad: Set<String> = []) -> Bool {
        let there = Set(gallery.photos.map(\.sha256))
        return camera.shot.values.allSatisfy {
            there.contains($0.sha256) || bad.contains("\(camera.name) \($0.name)")
        }
    }

    /// What is in the gallery and was never shot: bytes that are missing, or wrong.
    package var neverShot: [String] {
        let shot = Set(cameras.flatMap { $0.shot.values.map(\.sha256) })
        return gallery.photos.filter { !shot.contains($0.sha256) }.map { "\($0)" }
    }

    /// In the words of the cameras: what was shot and is not in the gallery.
    package var missing: [String] {
        let there = Set(gallery.photos.map(\.sha256))
        return cameras.flatMap { camera in
            camera.shot.values.filter { !there.contains($0.sha256) }.map { "\(camera.name) \($0.name)" }
        }.sorted()
    }

    /// No photo that was here was fetched once more.
    package var fetchedAgain: [CaptureID] {
        var here: Set<CaptureID> = []
        var again: [CaptureID] = []
        for told in news.value {
            switch told.event {
            case .staged(let capture, _, _): here.insert(capture)
            case .began(let capture, _, _, _) where here.contains(capture): again.append(capture)
            default: break
            }
        }
        return again
    }
}
