package import Basics
package import Bridge
import Digest

/// Looks at whole photos in the spool, and puts those back that are not there any more or not what they were.
///
/// Everything here blocks, on the thread that it was given.
package actor SpoolRepair {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package enum Finding: Equatable, Sendable {
        /// As large as it was, and with its SHA-256.
        case whole
        case missing
        case altered(String)
    }

    /// What becomes of bytes that came in place of a photo's.
    package enum Mending: Equatable, Sendable {
        case mended
        /// They are not the photo's: nothing has been changed.
        case differs(sha256: String)
    }

    private let openRoot: @Sendable () throws(DiskError) -> any DiskFolder
    private let reserve: Spool.Reserve
    /// Asked to make room for so much; returns when it has done what it may.
    private let makeRoom: (@Sendable (UInt64) async -> Void)?
    /// Photos that are being brought into the spool.
    private var inHand: Set<CaptureID> = []

    package init(
        executor: any SerialExecutor, reserve: Spool.Reserve,
        makeRoom: (@Sendable (UInt64) async -> Void)? = nil,
        openRoot: @escaping @Sendable () throws(DiskError) -> any DiskFolder
    ) {
        self.executor = executor
        self.reserve = reserve
        self.makeRoom = makeRoom
        self.openRoot = openRoot
    }

    package func look(at photo: SpooledCapture) throws(DiskError) -> Finding {
        let folder = try openRoot().folder(photo.event)
        guard let size = try folder.size(of: photo.file) else { return .missing }
        let path = "\(folder.path)/\(photo.file)"
        guard size == photo.size else {
            return .altered("\(path) has \(size) bytes and had \(photo.size) when it was staged")
        }
        let found = try Self.digest(of: folder.openForReading(photo.file))
        return found == photo.sha256
            ? .whole : .altered("\(path) has another SHA-256 than when it was staged")
    }

    private static func digest(of file: any DiskFile) throws(DiskError) -> String {
        let hasher = SHA256()
        try Spool.hash(file, upTo: file.size(), into: hasher)
        return "\(hasher.finish())"
    }

    /// False where it is in hand already: its partial file and its deliveries are another's until that gives it back.
    package func take(_ photo: CaptureID) -> Bool { inHand.insert(photo).inserted }
    package func giveBack(_ photo: CaptureID) { inHand.remove(photo) }

    /// An empty partial file for it. Should nothing become of it, the next start removes it.
    package func begin(_ photo: SpooledCapture) async throws(DiskError) -> IncomingPhoto {
        if try lack(ofRoomFor: photo) != nil { await makeRoom?(photo.size) }
        if let lack = try lack(ofRoomFor: photo) { throw DiskError(.noRoom, lack) }
        let root = try openRoot()
        let incoming = try root.folder(Spool.incomingName)
        let file = try incoming.open(Spool.partialName(photo.id))
        try file.truncate(to: 0)
        return IncomingPhoto(capture: photo.id, file: file, kept: 0)
    }

    private func lack(ofRoomFor photo: SpooledCapture) throws(DiskError) -> String? {
        let root = try openRoot()
        let space = try root.space()
        let room = Retention.Room(free: space.free, reserve: reserve.size(on: space), wanted: photo.size)
        guard room.isShort else { return nil }
        return
            "\(root.path): \(Human.bytes(space.free)) are free, too little for \(photo.path) beside the reserve; make room"
    }

    package func discard(_ photo: SpooledCapture) throws(DiskError) {
        let incoming = try openRoot().folder(Spool.incomingName)
        if try incoming.size(of: Spool.partialName(photo.id)) != nil {
            try incoming.remove(Spool.partialName(photo.id))
        }
    }

    /// Gives the new file the photo's name when it has the photo's SHA-256. An altered one is kept aside until then.
    package func finish(_ photo: SpooledCapture, _ incoming: IncomingPhoto) throws(DiskError) -> Mending {
        let found = try Self.digest(of: incoming.file)
        guard found == photo.sha256, try incoming.file.size() == photo.size else {
            try discard(photo)
            return .differs(sha256: found)
        }
        try incoming.file.sync()
        let root = try openRoot()
        let folder = try root.folder(photo.event)
        let partials = try root.folder(Spool.incomingName)
        let aside = try putAside(photo, folder, root)
        guard try partials.move(Spool.partialName(photo.id), to: folder, as: photo.file) else {
            throw DiskError(.other, "\(folder.path)/\(photo.file): another program writes into the spool")
        }
        try incoming.file.makeReadOnly()
        try folder.sync()
        if let aside { try root.folder(Spool.straysName).remove(aside) }
        return .mended
    }

    /// The name that the altered file has meanwhile; nothing where there is none.
    private func putAside(
        _ photo: SpooledCapture, _ folder: any DiskFolder, _ root: any DiskFolder
    ) throws(DiskError) -> String? {
        guard try folder.size(of: photo.file) != nil else { return nil }
        let strays = try root.folder(Spool.straysName)
        for number in 1...9999 {
            let free = SafeName.numbered(SafeName.component(photo.file, fallback: "altered"), number)
            guard try strays.size(of: free) == nil, try folder.move(photo.file, to: strays, as: free) else {
                continue
            }
            try strays.sync()
            return free
        }
        throw DiskError(.other, "\(strays.path) is full of files called \(photo.file); tidy it up")
    }
}
