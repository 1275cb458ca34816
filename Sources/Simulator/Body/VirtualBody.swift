import PTP

/// A camera that is nothing but a virtual card, a shutter, and what is to go wrong with them.
struct VirtualBody: CameraBody {
    var card: VirtualCard
    var contents: ContentMaker
    /// The camera's clock: local seconds since 1970.
    let localSeconds: @Sendable () -> Int64
    private var isPoisoned = false
    /// After a reconnect, until the handles have been listed again.
    private var handlesAreStale = false
    private var shots = 0
    private var toVanish: ObjectHandle?
    private var complaints: [String] = []
    var dateTime = ""

    init(card: VirtualCard, localSeconds: @escaping @Sendable () -> Int64) {
        self.card = card
        self.localSeconds = localSeconds
        contents = ContentMaker(seed: card.settings.seed)
    }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
        isPoisoned = false
        toVanish = nil
        handlesAreStale = !isFirst
        if !isFirst, faults.take(.renumber) != nil {
            card.renumber()
            contents.forget()
        }
    }

    mutating func delivered() {
        if let toVanish { card.remove(toVanish) }
        toVanish = nil
    }

    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { [] }

    mutating func takeComplaints() -> [String] {
        defer { complaints = [] }
        return complaints
    }

    // MARK: Operations

    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let first = operation.parameters.first ?? 0
        let object = operation.code.isAboutObject ? ObjectHandle(rawValue: first) : nil
        if let refusal = refusal(of: operation, object, &faults, at: now) { return refusal }
        var answer = answer(to: operation, first, &faults, at: now)
        answer.object = object
        return answer
    }

    /// What goes wrong before the operation is looked at.
    private mutating func refusal(
        of operation: Responder.Operation, _ object: ObjectHandle?, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer? {
        if isPoisoned { return .refusal(.generalError) }
        if let rule = faults.first(.poison), rule.number("operation") == UInt64(operation.code.rawValue) {
            isPoisoned = faults.take(.poison) != nil
            return .refusal(.generalError)
        }
        if faults.take(.busy, object: object, operation: operation.code) != nil {
            return .refusal(.deviceBusy)
        }
        guard let object else {
            if operation.code == .getObjectHandles { handlesAreStale = false }
            return nil
        }
        if faults.take(.accessLock, object: object, operation: operation.code) != nil {
            return .refusal(.accessDenied)
        }
        if handlesAreStale, faults.take(.staleHandles, object: object) != nil {
            return .refusal(.invalidObjectHandle)
        }
        guard let known = card[object] else { return .refusal(.invalidObjectHandle) }
        if let rule = faults.first(.notReady), let window = rule.duration("for"), let shotAt = known.shotAt,
            now - shotAt < window
        {
            return .refusal(ResponseCode(rawValue: UInt16(rule.number("code") ?? 0x2002)))
        }
        return nil
    }

    private mutating func answer(
        to operation: Responder.Operation, _ first: UInt32, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let object = ObjectHandle(rawValue: first)
        switch operation.code {
        case .getDeviceInfo:
            return .dataset(
                deviceInfo(
                    isTruncated: faults.take(.truncateStrings) != nil,
                    givesParts: !faults.has(.noPartialReads)))
        case .getStorageIDs:
            return .dataset(StorageIDList(faults.has(.inMemory) ? [] : card.storages).encoded)
        case .getStorageInfo:
            guard card.storages.contains(StorageID(rawValue: first)) else {
                return .refusal(.invalidStorageID)
            }
            return .dataset(storageInfo(StorageID(rawValue: first)))
        case .getNumObjects, .getObjectHandles:
            return handles(operation)
        case .getObjectInfo:
            return objectInfo(object, &faults, at: now)
        case .getPartialObject, .getPartialObject64:
            if faults.has(.noPartialReads) { return .refusal(.operationNotSupported) }
            return bytes(operation, object, &faults)
        case .getObject:
            return bytes(operation, object, &faults)
        case .getThumb:
            return thumbnail(object)
        case .deleteObject:
            return delete(object)
        case .setObjectProtection:
            card.setProtected(object, operation.parameters.count > 1 && operation.parameters[1] != 0)
            return BodyAnswer(code: .ok)
        case .initiateCapture:
            let notices = shoot(&faults, at: now)
            if notices.contains(where: { $0.code == .storeFull }) { return .refusal(.storeFull) }
            return BodyAnswer(code: .ok, notices: notices)
        case .getDevicePropDesc, .getDevicePropValue, .setDevicePropValue:
            return property(operation)
        case .getObjectPropsSupported, .getObjectPropDesc, .getObjectPropValue, .getObjectPropList:
            return objectProperty(operation)
        default:
            return .refusal(.operationNotSupported)
        }
    }

    private func handles(_ operation: Responder.Operation) -> BodyAnswer {
        let parameters = operation.parameters + [0, 0, 0]
        let storage = StorageID(rawValue: parameters[0])
        guard storage == .all || card.storages.contains(storage) else { return .refusal(.invalidStorageID) }
        let handles = card.handles(storage: storage, format: parameters[1], parent: parameters[2])
        if operation.code == .getNumObjects {
            return BodyAnswer(code: .ok, parameters: [UInt32(handles.count)])
        }
        return .dataset(HandleList(handles).encoded)
    }

    private mutating func objectInfo(
        _ handle: ObjectHandle, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard let object = card[handle] else { return .refusal(.invalidObjectHandle) }
        var shown = object.size
        if let rule = faults.first(.lateSize), let window = rule.duration("for"), let shotAt = object.shotAt,
            now - shotAt < window
        {
            shown = rule.number("as") ?? 0
        }
        var info = object.info(size: shown)
        if faults.has(.inMemory) { info.storage = StorageID(rawValue: 0) }
        guard faults.take(.truncateStrings, object: handle) != nil else { return .dataset(info.encoded) }
        info.captureDate = ""
        info.modificationDate = ""
        info.keywords = ""
        // Three empty strings of one byte each, left out.
        return .dataset(info.encoded.dropLast(3))
    }

    private mutating func bytes(
        _ operation: Responder.Operation, _ handle: ObjectHandle, _ faults: inout Faults
    ) -> BodyAnswer {
        guard let object = card[handle], !object.isFolder else { return .refusal(.invalidObjectHandle) }
        let content: any ObjectContent
        do {
            content = try contents.content(of: object)
        } catch {
            complaints.append("\(object.name): \(error)")
            return .refusal(.generalError)
        }
        let parameters = operation.parameters + [0, 0, 0, 0]
        var offset: UInt64 = 0
        var most = UInt64.max
        if operation.code == .getPartialObject {
            (offset, most) = (UInt64(parameters[1]), UInt64(parameters[2]))
        } else if operation.code == .getPartialObject64 {
            (offset, most) = (UInt64(parameters[2]) << 32 | UInt64(parameters[1]), UInt64(parameters[3]))
        }
        // "0xFFFFFFFF: to the end" (PIMA 15740 §10.4.28).
        if most == 0xFFFF_FFFF { most = .max }
        guard offset <= content.length else { return .refusal(.invalidParameter) }
        let end = content.length - offset > most ? offset + most : content.length
        if faults.has(.inMemory), end == content.length { toVanish = handle }
        var answer = BodyAnswer(code: .ok, data: .content(content, offset..<end))
        if operation.code != .getObject {
            var sent = Int64(end - offset)
            if let rule = faults.take(.wrongSentCount, object: handle) { sent += rule.difference("by") }
            answer.parameters = [UInt32(truncatingIfNeeded: sent)]
        }
        return answer
    }

    private mutating func thumbnail(_ handle: ObjectHandle) -> BodyAnswer {
        guard let object = card[handle] else { return .refusal(.invalidObjectHandle) }
        do {
            return try contents.thumbnail(of: object).map { .dataset($0) } ?? .refusal(.noThumbnailPresent)
        } catch {
            complaints.append("\(object.name): \(error)")
            return .refusal(.generalError)
        }
    }

    private mutating func delete(_ handle: ObjectHandle) -> BodyAnswer {
        guard let object = card[handle] else { return .refusal(.invalidObjectHandle) }
        guard !object.isProtected else { return .refusal(.objectWriteProtected) }
        guard !object.isFolder || !card.objects.contains(where: { $0.parent == handle }) else {
            return .refusal(.partialDeletion)
        }
        card.remove(handle)
        contents.forget()
        return BodyAnswer(code: .ok)
    }

    // MARK: The shutter

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> [EventPacket] {
        shots += 1
        var notices: [EventPacket] = []
        if let rule = faults.first(.cardSwap), rule.number("shots") == UInt64(shots) {
            notices += swapCard(reusesHandles: rule.text("handles") == "reused")
        }
        if faults.take(.storeFull) != nil {
            return notices + [EventPacket(code: .storeFull, parameters: [StorageID.firstSlot.rawValue])]
        }
        let size = faults.take(.hugeObject)?.number("size")
        let handles: [ObjectHandle]
        do throws(VirtualCard.Unusable) {
            handles = try card.shoot(dated: localSeconds(), at: now, size: size)
        } catch {
            return notices + [EventPacket(code: .storeFull, parameters: [StorageID.firstSlot.rawValue])]
        }
        let complete = EventPacket(code: .captureComplete)
        if faults.take(.missingNotices) != nil { return notices }
        if faults.take(.onlyCaptureComplete) != nil { return notices + [complete] }
        if let count = faults.take(.noticeFlood)?.number("count") {
            for index in 0..<UInt32(count) {
                let property = UInt32(0x5001 + index % 16)
                notices.append(EventPacket(code: .devicePropChanged, parameters: [property]))
            }
        }
        notices += handles.map { EventPacket(code: .objectAdded, parameters: [$0.rawValue]) } + [complete]
        return faults.take(.duplicateNotices) == nil ? notices : notices.flatMap { [$0, $0] }
    }

    private mutating func swapCard(reusesHandles: Bool) -> [EventPacket] {
        var settings = card.settings
        settings.seed = settings.seed &+ 1
        let storage = StorageID.firstSlot.rawValue
        do throws(VirtualCard.Unusable) {
            var fresh = try VirtualCard(settings, photos: 0)
            // By the standard handles are not used again within a session; bodies that make them of slot, folder and
            // number use them again.
            if !reusesHandles { fresh.nextHandle = card.nextHandle }
            card = fresh
        } catch {
            complaints.append("the card could not be changed: \(error)")
        }
        contents.forget()
        return [
            EventPacket(code: .storeRemoved, parameters: [storage]),
            EventPacket(code: .storeAdded, parameters: [storage]),
        ]
    }
}

extension OperationCode {
    var isPartialRead: Bool { self == .getPartialObject || self == .getPartialObject64 }

    /// Whether the first parameter is an object's handle.
    var isAboutObject: Bool {
        switch self {
        case .getObjectInfo, .getObject, .getThumb, .deleteObject, .getPartialObject, .getPartialObject64,
            .setObjectProtection:
            true
        default: false
        }
    }
}
