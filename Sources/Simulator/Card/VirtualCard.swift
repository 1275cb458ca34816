public import PTP

/// What is in the slots of a simulated camera, and how new photos get there.
///
/// A value that the simulator's actor owns. Photos are descriptions; their bytes are computed when a client
/// reads them. A card made from a folder serves the user's files as they are and never writes into them: what
/// is deleted is only hidden, what is shot exists in memory.
public struct VirtualCard: Sendable {
    public struct Settings: Sendable {
        public var make = "Tetherline"
        public var model = "Generic"
        public var serial = "0001"
        public var photoSize: UInt64 = 4 << 20
        public var hasRawToo = false
        public var slots = 1
        /// The number of the next photo, 1 to 9999, and of the folder it goes to, 100 to 999.
        public var firstNumber = 1
        public var firstFolder = 100
        public var seed: UInt64 = 1
        /// Local seconds since 1970 of the first photo that is on the card from the start, and between them.
        public var startsAt: Int64 = 1_790_000_000
        public var secondsBetween: Int64 = 2
        public var capacity: UInt64 = 64 << 30
        /// Every shot gets the same name, each in a folder of its own.
        public var repeatsName = false
        /// The DCIM folder has no month and no day, as on a Nikon.
        public var hasOddFolderDate = false
        public var style = CardStyle()

        public init() {}
    }

    public enum Unusable: Error, Equatable, Sendable {
        case full
        /// After 999 folders of 9999 photos.
        case outOfNumbers
    }

    public internal(set) var settings: Settings
    /// Every object, in the order in which the camera lists them.
    public internal(set) var objects: [CardObject] = []
    var index: [ObjectHandle: Int] = [:]
    var nextHandle: UInt32 = 0x0001_0001
    private var number: Int
    private var folderNumber: Int
    private var folders: [String: ObjectHandle] = [:]
    private var shots: UInt32 = 0
    private var objectsEver: UInt32 = 0
    var used: UInt64 = 0

    /// A card that holds `photos` generated ones.
    public init(_ settings: Settings, photos: Int) throws(Unusable) {
        self.settings = settings
        number = settings.firstNumber
        folderNumber = settings.firstFolder
        for index in 0..<photos {
            _ = try shoot(dated: settings.startsAt + Int64(index) * settings.secondsBetween, at: nil)
        }
    }

    public var storages: [StorageID] {
        (1...max(1, settings.slots)).map { StorageID(rawValue: UInt32($0) << 16 | 1) }
    }

    public subscript(handle: ObjectHandle) -> CardObject? {
        index[handle].map { objects[$0] }
    }

    public var free: UInt64 { settings.capacity > used ? settings.capacity - used : 0 }

    // MARK: Listing

    /// GetObjectHandles exactly as PIMA 15740 §10.4.7 has it: format 0 is any and 0xFFFFFFFF images only,
    /// parent 0 is everywhere and 0xFFFFFFFF only the root.
    public func handles(storage: StorageID, format: UInt32, parent: UInt32) -> [ObjectHandle] {
        objects.filter { object in
            guard storage == .all || object.storage == storage else { return false }
            switch format {
            case 0: break
            case 0xFFFF_FFFF: guard !object.isFolder, object.format.isImage else { return false }
            default: guard UInt32(object.format.rawValue) == format else { return false }
            }
            switch parent {
            case 0: return true
            case 0xFFFF_FFFF: return object.parent == .root
            default: return object.parent.rawValue == parent
            }
        }.map(\.handle)
    }

    // MARK: Changing

    /// Presses the shutter at this local second: one object, or two where RAW is written as well, JPEG first.
    public mutating func shoot(
        dated seconds: Int64, at time: Duration?, size: UInt64? = nil
    ) throws(Unusable) -> [ObjectHandle] {
        let size = size ?? settings.photoSize
        let wanted = settings.hasRawToo ? 2 * size + GeneratedPhoto.smallestRaw : size
        guard free >= wanted else { throw .full }
        if number > 9999 {
            // "After 9999 comes 0001, in the next folder" (DCF).
            number = 1
            folderNumber += 1
        }
        guard folderNumber <= 999 else { throw .outOfNumbers }
        defer {
            number += settings.repeatsName ? 0 : 1
            folderNumber += settings.repeatsName ? 1 : 0
        }
        shots += 1
        let storage = storages[Int(shots - 1) % storages.count]
        let folder = self.folder(in: storage)
        let date = DateTime(secondsSince1970: seconds, tenth: Int(shots) % 10)
        let description = PhotoDescription(
            make: settings.make, model: settings.model, serial: settings.serial, number: Int(shots),
            date: date,
            seed: settings.seed)
        var handles = [add(description, isRaw: false, size: size, folder, storage, at: time)]
        if settings.hasRawToo {
            let rawSize = max(2 * size, GeneratedPhoto.smallestRaw)
            handles.append(add(description, isRaw: true, size: rawSize, folder, storage, at: time))
        }
        return handles
    }

    private mutating func add(
        _ description: PhotoDescription, isRaw: Bool, size: UInt64, _ folder: ObjectHandle,
        _ storage: StorageID,
        at time: Duration?
    ) -> ObjectHandle {
        let digits = String(number)
        let style = settings.style
        let name =
            style.prefix + String(repeating: "0", count: 4 - digits.count) + digits + "."
            + (isRaw ? style.rawExtension : "JPG")
        let place = CardStyle.Place(slot: storage.slot, folder: folderNumber, file: number, isRaw: isRaw)
        var date = description.date
        date.tenth = nil
        var object = CardObject(
            handle: takeHandle(at: place), storage: storage, parent: folder, name: name,
            format: isRaw ? style.rawFormat : .exifJPEG,
            size: size, date: date.description, sequence: shots, kind: .photo(description, isRaw: isRaw),
            shotAt: time)
        if isRaw || size >= GeneratedPhoto.fullPictureFrom {
            let picture = GeneratedPhoto.pictures[isRaw ? 1 : 0]
            object.width = 8 * picture.columns
            object.height = 8 * picture.rows
            object.thumbnailLength = GeneratedPhoto.thumbnailLength
        }
        if isRaw { object.foreignBeginning = settings.style.rawBeginning(size) }
        append(object)
        return object.handle
    }

    /// The DCF folder that photos go to now, made when it is missing.
    private mutating func folder(in storage: StorageID) -> ObjectHandle {
        let dcim = folder("DCIM", inside: .root, storage)
        return folder("\(folderNumber)\(settings.style.folder)", inside: dcim, storage)
    }

    mutating func folder(_ name: String, inside parent: ObjectHandle, _ storage: StorageID) -> ObjectHandle {
        let key = Self.folderKey(name, inside: parent, storage)
        if let known = folders[key] { return known }
        let isOdd = settings.hasOddFolderDate && name == "DCIM"
        let place = CardStyle.Place(slot: storage.slot, folder: Int(name.prefix(3)) ?? 0, file: 0)
        let object = CardObject(
            handle: takeHandle(at: place), storage: storage, parent: parent, name: name, format: .association,
            size: 0,
            date: isOdd ? "19800000T000000" : DateTime(secondsSince1970: settings.startsAt).description,
            sequence: 0, kind: .folder)
        folders[key] = object.handle
        append(object)
        return object.handle
    }

    private static func folderKey(_ name: String, inside parent: ObjectHandle, _ storage: StorageID) -> String
    {
        "\(storage)/\(parent)/\(name)"
    }

    mutating func takeHandle(at place: CardStyle.Place? = nil) -> ObjectHandle {
        if let place, let made = settings.style.handle.map({ ObjectHandle(rawValue: $0(place)) }),
            index[made] == nil
        {
            return made
        }
        defer { nextHandle += 1 }
        return ObjectHandle(rawValue: nextHandle)
    }

    mutating func append(_ object: CardObject) {
        index[object.handle] = objects.count
        objects.append(object)
        objects[objects.count - 1].order = objectsEver
        objectsEver += 1
        used += object.size
    }

    public mutating func remove(_ handle: ObjectHandle) {
        guard let position = index[handle] else { return }
        used -= objects[position].size
        objects.remove(at: position)
        rebuildIndex()
    }

    mutating func removeAll(where isMeant: (CardObject) -> Bool) {
        objects.removeAll(where: isMeant)
        used = objects.reduce(0) { $0 + $1.size }
        rebuildIndex()
    }

    public mutating func setProtected(_ handle: ObjectHandle, _ isProtected: Bool) {
        change(handle) { $0.isProtected = isProtected }
    }

    /// Its size and its handle are not changed this way.
    mutating func change(_ handle: ObjectHandle, _ body: (inout CardObject) -> Void) {
        guard let position = index[handle] else { return }
        body(&objects[position])
    }

    /// Takes all bytes out of an object.
    mutating func empty(_ handle: ObjectHandle) {
        guard let position = index[handle] else { return }
        used -= objects[position].size
        objects[position].size = 0
        objects[position].thumbnailLength = 0
    }

    /// MTP's PersistentUniqueObjectIdentifier: of the card, the slot, and what the card had held before. New handles and
    /// new connections change nothing about it, and another card's objects have others.
    public func uniqueID(of object: CardObject) -> UInt128 {
        UInt128(Mixer.mix(settings.seed)) << 64 | UInt128(object.storage.slot) << 32
            | UInt128(object.order + 1)
    }

    /// The same things under new handles, as after a reconnect to some bodies.
    public mutating func renumber() {
        let generation: UInt32 = 0x0100_0000
        var renamed: [ObjectHandle: ObjectHandle] = [.root: .root]
        for object in objects {
            renamed[object.handle] = ObjectHandle(rawValue: object.handle.rawValue &+ generation)
        }
        for position in objects.indices {
            objects[position].handle = renamed[objects[position].handle] ?? objects[position].handle
            objects[position].parent = renamed[objects[position].parent] ?? objects[position].parent
        }
        folders = [:]
        for object in objects where object.isFolder {
            folders[Self.folderKey(object.name, inside: object.parent, object.storage)] = object.handle
        }
        nextHandle &+= generation
        rebuildIndex()
    }

    private mutating func rebuildIndex() {
        index = Dictionary(uniqueKeysWithValues: objects.enumerated().map { ($1.handle, $0) })
    }
}

extension FormatCode {
    /// The standard's image formats, and the vendors' above 0xB100.
    var isImage: Bool { (0x3800...0x3FFF).contains(rawValue) || (0xB101...0xB1FF).contains(rawValue) }
}
