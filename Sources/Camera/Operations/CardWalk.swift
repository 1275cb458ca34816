import Basics
import PTP

/// A walk over all cards, from the first question to the last answer: straight through, object by object.
///
/// Asks for every handle at once, as PTP allows; where a camera lists only the first level then, the folders found are
/// asked for what they hold, each once, in a loop. What is put off is listed and not asked about: such objects have
/// cost connections before. A folder that others lie in is asked for after all, as the last, unless it is to be left out.
struct CardWalk {
    let limit: Int
    /// How long the question about one object may take; the usual time unless said.
    var timeout: Duration?
    /// Before one silence is taken for that of an object, and not of the camera; nothing where each has all the time.
    var shortestSilence: Duration?
    var puttingOff: Set<ObjectHandle> = []
    var puttingOffPlaces: Set<Int> = []
    var leavingOut: Set<ObjectHandle> = []
    var leavingOutPlaces: Set<Int> = []

    private(set) var objects: [ListedObject] = []
    /// Listed and not described: deleted meanwhile, or not ready. And folders that do not tell what is in them.
    private(set) var unreadable: [ObjectHandle: String] = [:]
    /// Not described, because asking has harmed or was not answered; the latter are among the unreadable, too.
    private(set) var putOff: [ObjectHandle] = []
    /// Where each stands in the camera's list.
    private(set) var places: [ObjectHandle: Int] = [:]
    private(set) var tree = FolderTree()
    private(set) var hasMedium = false
    /// A card was seen to be listed with everything in its folders at once. Where nothing shows that, it may be one that
    /// lists level by level.
    private(set) var listsAtOnce = false
    /// Folders that were asked for what is in them, and where they are.
    private(set) var opened: [ObjectHandle: StorageID] = [:]
    /// Those of them that did not tell.
    private(set) var shut: Set<ObjectHandle> = []
    /// Folders with something in them whose names are not to be had.
    private(set) var nameless: Set<ObjectHandle> = []
    /// What the camera did not answer for, and nothing after it either.
    private(set) var unanswered: ObjectHandle?
    private var textBytes = 0
    private var described = 0
    private var slowest = Duration.zero
    /// What the camera said when it had no card any more, if that is what it meant.
    private var cardIsGone: CameraError?
    /// Until when folders without a name are asked for it, once one has not told.
    private var namesDueBy: Duration?

    /// A full card's names are a megabyte; one that sends more wants our memory.
    private static let textLimit = 4 << 20

    init(limit: Int, timeout: Duration? = nil) {
        self.limit = limit
        self.timeout = timeout
    }

    func place(of handle: ObjectHandle) -> Int? { places[handle] }

    /// Whether a folder above it has no name.
    func liesInNameless(_ object: ListedObject) -> Bool {
        !nameless.isDisjoint(with: tree.handles(above: object.info.parent))
    }

    mutating func run(
        _ session: CameraSession, onDescribed: @Sendable () -> Void
    ) async throws(CameraError) {
        var storages = try await session.storageIDs().filter(\.hasMedium)
        hasMedium = !storages.isEmpty
        // A camera without a card may hold photos in its memory, which belong to no store.
        if storages.isEmpty { storages = [.all] }
        for storage in storages { try await walk(storage, session, onDescribed) }
        if let goneWith = cardIsGone, hasMedium {
            // What was found of a card that was pulled meanwhile is half a list, with folders that have no names.
            let left = try await session.storageIDs()
            guard storages.allSatisfy(left.contains) else { throw goneWith }
        }
        for index in objects.indices {
            objects[index].folders = tree.path(above: objects[index].info.parent)
        }
    }

    private mutating func walk(
        _ storage: StorageID, _ session: CameraSession, _ onDescribed: @Sendable () -> Void
    ) async throws(CameraError) {
        var waiting = try await session.handlesIfReady(in: storage, limit: limit)
        var foldersToOpen: [ObjectHandle] = []
        var parentsSeen: Set<ObjectHandle> = []
        var hasOpened = false
        objects.reserveCapacity(objects.count + waiting.count)
        repeat {
            for handle in waiting where places[handle] == nil {
                guard places.count < limit else { throw session.error(.tooManyObjects(limit: limit)) }
                let place = places.count
                places[handle] = place
                if puttingOff.contains(handle) || puttingOffPlaces.contains(place) {
                    putOff.append(handle)
                    continue
                }
                guard let object = try await describe(handle, session, onDescribed) else { continue }
                parentsSeen.insert(object.info.parent)
                if object.info.isFolder { foldersToOpen.append(handle) }
            }
            if !hasOpened, parentsSeen.contains(where: { places[$0] != nil }) { listsAtOnce = true }
            waiting = []
            // A camera that lists level by level has not said yet what lies in a folder that was put off.
            if foldersToOpen.isEmpty, hasOpened || objects.isEmpty {
                foldersToOpen = putOff.filter { !isLeftOut($0) }
            }
            // A folder some of whose children were listed has been listed.
            while waiting.isEmpty, let folder = foldersToOpen.popLast() {
                if parentsSeen.contains(folder) || opened[folder] != nil { continue }
                (opened[folder], hasOpened) = (storage, true)
                if tree.isTooDeep(folder) {
                    unreadable[folder] = "it lies more than \(FolderTree.deepest) folders deep"
                } else {
                    waiting = try await inside(folder, storage, session)
                }
            }
        } while !waiting.isEmpty
        try await nameFolders(parentsSeen, session, onDescribed)
    }

    /// One folder that does not tell what is in it does not keep the others from being looked into.
    private mutating func inside(
        _ folder: ObjectHandle, _ storage: StorageID, _ session: CameraSession
    ) async throws(CameraError) -> [ObjectHandle] {
        do throws(CameraError) {
            let handles = try await session.handles(in: storage, inside: folder, limit: limit)
            unanswered = nil
            return handles
        } catch {
            guard error.isHarmless else { throw error.about(unanswered ?? folder) }
            if case .timedOut = error.problem { unanswered = unanswered ?? folder } else { unanswered = nil }
            note(error)
            // What was put off is known as that, and may be no folder.
            if !putOff.contains(folder) { unreadable[folder] = "\(error.problem)" }
            shut.insert(folder)
            return []
        }
    }

    private mutating func note(_ error: CameraError) {
        if error.code == .storeNotAvailable || error.code == .invalidStorageID { cardIsGone = error }
    }

    private func isLeftOut(_ handle: ObjectHandle) -> Bool {
        leavingOut.contains(handle) || places[handle].map(leavingOutPlaces.contains) ?? false
    }

    /// What others lie in has a name, and it is part of theirs.
    private mutating func nameFolders(
        _ parents: Set<ObjectHandle>, _ session: CameraSession, _ onDescribed: @Sendable () -> Void
    ) async throws(CameraError) {
        var unnamed = (putOff + unreadable.keys).filter { parents.contains($0) && tree.folders[$0] == nil }
            .sorted { $0.rawValue < $1.rawValue }
        while let folder = unnamed.popLast() {
            guard !isLeftOut(folder), let object = try await name(folder, session, onDescribed) else {
                nameless.insert(folder)
                continue
            }
            let parent = object.info.parent
            if putOff.contains(parent) || unreadable[parent] != nil { unnamed.append(parent) }
        }
    }

    /// A camera may have answered badly once, or not be ready for it yet. Photos would be taken for others without the
    /// folder's name, so a moment is waited for it.
    private mutating func name(
        _ folder: ObjectHandle, _ session: CameraSession, _ onDescribed: @Sendable () -> Void
    ) async throws(CameraError) -> ListedObject? {
        putOff.removeAll { $0 == folder }
        var questions = 0
        while true {
            unreadable[folder] = nil
            if let object = try await describe(folder, session, onDescribed) { return object }
            questions += 1
            let until = namesDueBy ?? session.time.now + Self.waitForNames
            namesDueBy = until
            let next = session.time.now + Self.pauseForName
            guard questions < Self.questionsForAName || next <= until else { return nil }
            do {
                try await session.time.sleep(until: next)
            } catch {
                throw session.error(.cancelled, "folder \(folder)")
            }
        }
    }

    private static let questionsForAName = 3
    /// "Object not finished: retry 250 ms up to 5 s": for all folders of a walk together, because some bodies never
    /// describe any.
    private static let waitForNames = Duration.seconds(5)
    private static let pauseForName = Duration.milliseconds(250)

    /// All photos wait behind the object that is asked for. One packet that is lost on the way costs 200 ms, which is more
    /// than this may be, and no connection: what is asked next is answered then.
    private var timeForNext: Duration? {
        guard let shortestSilence else { return timeout }
        let usual =
            described < Self.fewestForPace
            ? shortestSilence * Self.beforePaceIsKnown : max(shortestSilence, slowest * Self.longSilence)
        return timeout.map { min($0, usual) } ?? usual
    }

    private static let fewestForPace = 5
    private static let beforePaceIsKnown = 4
    private static let longSilence = 50

    /// One object that cannot be read does not end the walk; a lost connection does.
    private mutating func describe(
        _ handle: ObjectHandle, _ session: CameraSession, _ onDescribed: @Sendable () -> Void
    ) async throws(CameraError) -> ListedObject? {
        var object: ListedObject
        do throws(CameraError) {
            let asked = session.time.now
            let info = try await session.info(of: handle, timeout: timeForNext)
            (described, slowest) = (described + 1, max(slowest, session.time.now - asked))
            object = ListedObject(handle: handle, info: info, folders: [], size: nil)
            object.size = try await session.sizeIfSaid(of: handle, info)
        } catch {
            // A camera that is silent from one question on is silent because of that one.
            guard error.isHarmless else { throw error.about(unanswered ?? handle) }
            if case .timedOut = error.problem { unanswered = unanswered ?? handle } else { onDescribed() }
            note(error)
            unreadable[handle] = "\(error.problem)"
            if case .timedOut = error.problem { putOff.append(handle) }
            return nil
        }
        unanswered = nil
        onDescribed()
        textBytes += object.info.fileName.utf8.count + object.info.keywords.utf8.count
        guard textBytes <= Self.textLimit else {
            throw session.error(.tooLarge(size: UInt64(textBytes), limit: UInt64(Self.textLimit)), "names")
        }
        objects.append(object)
        if object.info.isFolder { tree.add(handle, name: object.info.fileName, parent: object.info.parent) }
        return object
    }
}
