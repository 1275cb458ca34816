public import Bridge
import PTP

/// What there is, undescribed: found in the same way in which the survey found it.
extension GenericDriver {
    public func references() async throws(CameraFailure) -> Set<PhotoReference> {
        if await session.silence >= Self.shortQuiet { try await askBeforeList() }
        let handles: Set<ObjectHandle>
        do throws(CameraError) {
            handles = try await everything()
        } catch {
            await learnPace(isComplete: false)
            throw CameraFailure(error)
        }
        await learnPace(isComplete: true)
        return Set(handles.map { PhotoReference($0) })
    }

    /// Its folders cannot be asked for: it is known without them.
    func leaveFolders(of handle: ObjectHandle) { incompletePaths[handle] = [] }

    /// How this card is listed, and where what is in it lies.
    func learn(_ walk: CardWalk) {
        folders = walk.tree.folders
        namelessFolders = walk.nameless
        incompletePaths = [:]
        if !walk.nameless.isEmpty {
            for object in walk.objects where walk.liesInNameless(object) {
                incompletePaths[object.handle] = object.folders
            }
        }
        (openFolders, shutFolders, listsAtOnce) = (walk.opened, walk.shut, walk.listsAtOnce)
    }

    /// A hanging camera is not given a list's timeout: after a question without an answer the list has what is left of the
    /// timeout with its silence. A slow one answers meanwhile, and has its list's time.
    private func askBeforeList() async throws(CameraFailure) {
        do throws(CameraFailure) {
            try await keepAlive()
        } catch {
            guard error.trouble == .unanswered else { throw error }
        }
    }

    private static let shortQuiet = Duration.milliseconds(500)

    /// Keeps how long the body's lists take, where that is long, and that it answers probes while it lists.
    func learnPace(isComplete: Bool) async {
        if isComplete { await session.listIsComplete() }
        let (pace, answersInCalls) = await (session.listTimeout, session.hasAnsweredProbeInCall)
        learn { traits in
            // A list that did not come to its end shows no quicker ones.
            if isComplete || pace.longSeconds ?? 0 > traits.listSeconds ?? 0 {
                traits.listSeconds = pace.longSeconds
            }
            if answersInCalls { traits.peculiarities.answersProbesInCalls = true }
        }
    }

    private func everything() async throws(CameraError) -> Set<ObjectHandle> {
        if listsAtOnce == nil {
            // Which of the objects are folders is known when they have been described.
            var walk = CardWalk(limit: CameraSession.usualObjectLimit, timeout: settings.timeout)
            try await walk.run(session, onDescribed: {})
            learn(walk)
        }
        if listsAtOnce == true, listsAllStorages {
            do throws(CameraError) {
                return Set(try await session.handles())
            } catch {
                // Each storage was listed by itself before, and may still be.
                guard error.isRefusal || error.code == .invalidStorageID else { throw error }
                listsAllStorages = false
            }
        }
        let limit = CameraSession.usualObjectLimit
        var storages = try await session.storageIDs().filter(\.hasMedium)
        if storages.isEmpty { storages = [.all] }
        var found: Set<ObjectHandle> = []
        for storage in storages {
            found.formUnion(try await session.handlesIfReady(in: storage, limit: limit))
        }
        if listsAtOnce == true { return found }
        for (folder, storage) in openFolders.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            found.formUnion(try await inside(folder, storage))
            guard found.count <= limit else { throw session.error(.tooManyObjects(limit: limit)) }
        }
        return found
    }

    /// What lies in a folder. One that told before and does not now makes the list unknown: its photos are not gone.
    private func inside(
        _ folder: ObjectHandle, _ storage: StorageID
    ) async throws(CameraError) -> [ObjectHandle] {
        do throws(CameraError) {
            let handles = try await session.handles(in: storage, inside: folder)
            shutFolders.remove(folder)
            return handles
        } catch {
            guard error.isHarmless else { throw error.about(folder) }
            if error.code == .invalidObjectHandle || error.code == .invalidParentObject {
                openFolders[folder] = nil
                return []
            }
            guard shutFolders.contains(folder) else { throw error }
            return []
        }
    }
}
