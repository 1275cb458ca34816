public import Bridge
import PTP

/// What a camera has, as plain PTP lists and describes it.
extension GenericDriver {
    public func survey(
        _ wish: SurveyOptions, onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        var walk = CardWalk(limit: wish.limit, timeout: settings.timeout)
        walk.shortestSilence = wish.shortestSilence
        walk.puttingOff = Set(wish.puttingOff.compactMap { ObjectHandle($0) })
        walk.puttingOffPlaces = wish.puttingOffPlaces
        walk.leavingOut = Set(wish.leavingOut.compactMap { ObjectHandle($0) })
        walk.leavingOutPlaces = wish.leavingOutPlaces
        do throws(CameraError) {
            try await walk.run(session, onDescribed: onDescribed)
        } catch {
            await learnPace(isComplete: false)
            throw CameraFailure(await whatItIs(error), place: error.object.flatMap(walk.place))
        }
        await learnPace(isComplete: true)
        learn(walk)
        var survey = Survey()
        survey.references = Set(walk.places.keys.map { PhotoReference($0) })
        for (handle, reason) in walk.unreadable { survey.unreadable[PhotoReference(handle)] = reason }
        survey.putOff = walk.putOff.map { ListedPlace(PhotoReference($0), place: walk.place(of: $0)) }
        survey.unanswered = walk.unanswered.map { PhotoReference($0) }
        let identity = body.identity
        survey.offers = walk.objects.filter { !$0.info.isFolder }.map {
            Offer($0, of: identity, device.vendor)
        }
        survey.hasCard = walk.hasMedium
        survey.listTook = await session.listTimeout.lastTook
        do throws(CameraFailure) {
            try await tellApart(&survey.offers)
            if wish.withRatings { try await rateAll(&survey.offers) }
        } catch {
            // Bodies that rename everything at each connection are known by the place.
            var failure = error
            failure.object?.place = error.object.flatMap { ObjectHandle($0.reference) }.flatMap(walk.place)
            throw failure
        }
        return survey
    }

    /// A list that does not come may be slow, or the camera hangs: its next answer tells.
    private func whatItIs(_ error: CameraError) async -> CameraError {
        guard case .timedOut(.getObjectHandles, _) = error.problem else { return error }
        do throws(CameraError) {
            try await session.askForLife(settings.lifeTimeout)
            return error
        } catch let silence {
            return silence
        }
    }

    private func rateAll(_ offers: inout [Offer]) async throws(CameraFailure) {
        guard device.supports(.getObjectPropValue) else {
            return changes.push(
                .remark(
                    "this body does not tell how photos are rated, so that --min-rating takes none of it: protect what is "
                        + "wanted on the body and use --only-protected instead"))
        }
        for index in offers.indices { offers[index].rating = try await rating(of: offers[index].reference) }
    }

    public func describe(
        _ reference: PhotoReference, withRating: Bool
    ) async throws(CameraFailure) -> Offer? {
        try await describe(reference, withRating: withRating, retries: [])
    }

    /// `retries`: which refusals mean of this object that it is not ready yet.
    func describe(
        _ reference: PhotoReference, withRating: Bool, retries: [RetryRule]
    ) async throws(CameraFailure) -> Offer? {
        let handle = try handle(reference)
        let info = try await CameraFailure.attempt(about: reference) { () throws(CameraError) in
            try await session.info(of: handle, timeout: settings.timeout, retries: retries)
        }
        if info.isFolder {
            openFolders[handle] = info.storage
            folders[handle] = FolderTree.Folder(name: info.fileName, parent: info.parent)
            return nil
        }
        // What the survey named without a folder would be taken for another photo if it had one now.
        let path: [String]
        if let known = incompletePaths[handle] {
            path = known
        } else {
            path = try await self.path(above: info.parent)
        }
        var object = ListedObject(handle: handle, info: info, folders: path, size: nil)
        object.size = try await CameraFailure.attempt(about: reference) { () throws(CameraError) in
            try await session.sizeIfSaid(of: handle, info)
        }
        var offer = Offer(object, of: body.identity, device.vendor)
        if withRating { offer.rating = try await rating(of: reference) }
        return offer
    }

    /// The names of the folders above, asked for where they are not known yet.
    private func path(above parent: ObjectHandle) async throws(CameraFailure) -> [String] {
        var next = parent
        var asked = 0
        while next != .root, asked < FolderTree.deepest {
            if let known = folders[next] {
                next = known.parent
            } else if namelessFolders.contains(next) {
                break
            } else {
                let folder = next
                let info = try await CameraFailure.attempt(about: PhotoReference(folder)) {
                    () throws(CameraError) in
                    try await session.info(of: folder, timeout: settings.timeout)
                }
                folders[folder] = FolderTree.Folder(name: info.fileName, parent: info.parent)
                next = info.parent
            }
            asked += 1
        }
        var tree = FolderTree(folders)
        return tree.path(above: parent)
    }

    /// Photos that look the same are told apart by the camera's own name for each, where it has one.
    private func tellApart(_ offers: inout [Offer]) async throws(CameraFailure) {
        guard device.supports(.getObjectPropValue) else { return }
        var alike: [PhotoIdentity: [Int]] = [:]
        for index in offers.indices where offers[index].key != nil {
            alike[offers[index].identity, default: []].append(index)
        }
        for group in alike.values where group.count > 1 {
            for index in group { offers[index].stableID = try await stableID(of: offers[index]) }
        }
    }

    public func stableID(of offer: Offer) async throws(CameraFailure) -> String? {
        guard !offer.isInMemory, hasStableIDs, device.supports(.getObjectPropValue) else { return nil }
        let handle = try handle(offer.reference)
        do throws(CameraError) {
            return try await session.uniqueID(of: handle)
        } catch {
            guard error.isHarmless else { throw CameraFailure(error.about(handle)) }
            // A body that does not know this property does not know it of the next photo either. One that is busy, or does
            // not answer, may answer for the next.
            if error.code.map(ResponseCode.unknownProperties.contains) ?? false { hasStableIDs = false }
            return nil
        }
    }

    /// From 0 to 5 stars; nothing where the camera does not say.
    private func rating(of reference: PhotoReference) async throws(CameraFailure) -> Int? {
        guard device.supports(.getObjectPropValue) else { return nil }
        let handle = try handle(reference)
        do throws(CameraError) {
            let value = try await session.number(.rating, of: handle)
            // "0 to 100" (MTP 1.1 B.2.60); bodies write stars as they are, or as 1, 25, 50, 75, 99.
            return value <= 5 ? Int(value) : min(5, 1 + Int(value) * 4 / 99)
        } catch {
            guard error.isHarmless else { throw CameraFailure(error.about(handle)) }
            return nil
        }
    }

    // MARK: For people

    public func facts() async throws(CameraFailure) -> BodyFacts {
        var facts = BodyFacts()
        let peer = await session.peer
        facts.name = peer?.name
        facts.wireID = peer.map { "\($0.guid)" }
        facts.manufacturer = device.manufacturer
        facts.model = device.model
        facts.version = device.deviceVersion
        facts.serial = device.serialNumber
        facts.dialect = device.vendor?.rawValue
        facts.operations = device.operations.map { $0.described(for: device.vendor) }
        do throws(CameraError) {
            facts.stores = try await session.storages().map { BodyFacts.Store($0) }
        } catch {
            // A camera that only takes orders does not show its card; what it is can be said all the same.
            guard error.isHarmless else { throw CameraFailure(error) }
            facts.storesProblem = "\(error)"
        }
        return facts
    }

    public func rawNotices(_ each: @Sendable (RawNotice) async -> Bool) async {
        for await notice in session.notices {
            let name = notice.code.described(for: device.vendor)
            let parameters = notice.parameters.map { Hex.code($0) }.joined(separator: " ")
            let raw = RawNotice(
                text: "\(name) \(parameters)", code: Hex.code(notice.code.rawValue), name: name,
                transaction: notice.transaction == .none ? nil : UInt64(notice.transaction.rawValue),
                parameters: notice.parameters.map { UInt64($0) })
            guard await each(raw) else { return }
        }
    }
}

extension BodyFacts.Store {
    fileprivate init(_ storage: Storage) {
        self.init(
            name: "\(storage.id)", isEmpty: storage.info == nil, text: storage.info?.storageDescription ?? "",
            label: storage.info?.volumeLabel ?? "", capacity: storage.info?.knownCapacity,
            free: storage.info?.knownFreeSpace)
    }
}

extension ResponseCode {
    /// What bodies say of a property that no object of theirs has.
    fileprivate static let unknownProperties: Set<ResponseCode> = [
        .operationNotSupported, .parameterNotSupported, .devicePropNotSupported, .invalidObjectPropCode,
        .objectPropNotSupported,
    ]
}

extension Offer {
    init(_ object: ListedObject, of camera: CameraIdentity, _ vendor: Vendor?) {
        self.init(
            identity: PhotoIdentity(
                manufacturer: camera.manufacturer, model: camera.model, body: camera.body,
                slot: object.info.storage.slot, folders: object.folders, name: object.info.fileName,
                size: object.size ?? UInt64(object.info.compressedSize), captureDate: object.info.captureDate,
                format: object.info.format.rawValue),
            reference: PhotoReference(object.handle))
        // It lies in no slot: a buffer that the camera wants back.
        isInMemory = object.info.storage.rawValue == 0
        isProtected = object.info.isProtected
        sequence = object.info.sequenceNumber
        formatName = object.info.format.described(for: vendor)
        store = "\(object.info.storage)"
    }
}
