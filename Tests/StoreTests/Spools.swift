import Basics
import Bridge
import Digest
import Posix
import Store
import TestSupport
import WorldSupport

/// Two threads for everything in these tests that blocks.
enum Threads {
    static let spool = ThreadExecutor(name: "test spool")
    static let ledger = ThreadExecutor(name: "test ledger")
}

typealias OpenRoot = @Sendable () throws(DiskError) -> any DiskFolder

let someEvent = "00000000-0000-4000-8000-000000000001"

/// A spool on a real folder, or on the model of a disk.
struct SpoolGround: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case real
        case model
    }

    let openRoot: OpenRoot
    let folder: TemporaryFolder?
    let disk: ForgetfulDisk?

    init(_ kind: Kind) throws {
        switch kind {
        case .real:
            let folder = try TemporaryFolder()
            self.folder = folder
            disk = nil
            openRoot = { () throws(DiskError) in try RealFolder.make(path: folder.file("spool")) }
        case .model:
            let disk = ForgetfulDisk()
            self.disk = disk
            folder = nil
            openRoot = { () throws(DiskError) in disk.root() }
        }
    }

    init(_ disk: ForgetfulDisk) {
        self.disk = disk
        folder = nil
        openRoot = { () throws(DiskError) in disk.root() }
    }

    func spool(boot: String = "boot 1", reserve: Spool.Reserve = Spool.Reserve(bytes: 0)) -> Spool {
        Spool(event: someEvent, boot: boot, reserve: reserve, executor: Threads.spool, openRoot: openRoot)
    }

    /// Every file in the spool by its path.
    func contents() throws -> [String: [UInt8]] {
        try Self.contents(of: try openRoot(), "")
    }

    static func contents(of folder: any DiskFolder, _ prefix: String) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for entry in try folder.names() {
            if entry.isFolder {
                let inner = try contents(of: try folder.folder(entry.name), "\(prefix)\(entry.name)/")
                found.merge(inner) { first, _ in first }
            } else {
                let file = try folder.openForReading(entry.name)
                found[prefix + entry.name] = try file.read(Int(try file.size()), at: 0)
            }
        }
        return found
    }

    /// A file under a path of one folder and one name, durable.
    func put(_ bytes: [UInt8], _ folder: String, _ name: String) throws {
        let root = try openRoot()
        let inner = try root.folder(folder)
        let file = try inner.open(name)
        try file.write(bytes)
        try file.sync()
        try inner.sync()
        try root.sync()
    }

    /// Removes the spool, as another process would.
    func vanish() throws {
        if let folder, let rm = Tool("rm") { _ = try rm.run(["-rf", folder.file("spool")]) }
        disk?.vanish()
    }
}

extension DiskFile {
    func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws(DiskError) {
        let span = bytes.span
        try write(span.bytes, at: offset)
    }
}

func sha(_ bytes: [UInt8]) -> String { "\(SHA256.of(bytes))" }

/// A photo as a camera offers it; without a size, one that is not final yet.
func offer(_ size: UInt64?, name: String = "IMG_0001.JPG", format: UInt16 = 0x3801) -> Offer {
    let identity = PhotoIdentity(
        manufacturer: "Nikon", model: "Z 9", body: "6001234", slot: 1, folders: ["100NCZ_9"], name: name,
        size: size ?? 0, captureDate: "20261121T185903", format: format)
    return Offer(identity: identity, reference: PhotoReference("0x00010001"))
}

/// Everything of a photo has come.
func finish(
    _ capture: CaptureID, _ size: UInt64, name: String = "IMG_0001.JPG", format: UInt16 = 0x3801
) -> FinishOrder {
    FinishOrder(capture: capture, offer: offer(size, name: name, format: format), size: size)
}

extension Spool {
    /// One photo from its first byte, or from what is kept, to its final name.
    func keep(
        _ bytes: [UInt8], of capture: Capture, name: String = "IMG_0001.JPG", format: UInt16 = 0x3801,
        _ change: (inout FinishOrder) -> Void = { _ in }
    ) throws(DiskError) -> ShelfFinish {
        let size = UInt64(bytes.count)
        let incoming = try open(capture, offer(size, name: name, format: format), mayResume: true)
        try incoming.file.write(Array(bytes[Int(incoming.kept)...]), at: incoming.kept)
        var order = StoreTests.finish(capture.id, size, name: name, format: format)
        change(&order)
        return try finish(incoming, order, modified: 1_700_000_000)
    }
}
