import PTP

/// A camera that is nothing but a virtual card, a shutter, and what is to go wrong with them.
///
/// By itself it is the generic camera. The body of a maker's model holds one, does its own operations itself, and leaves
/// the standard's to it.
struct VirtualBody: CameraBody {
    var card: VirtualCard
    var traits: CameraTraits
    var contents: ContentMaker
    /// The camera's clock: local seconds since 1970.
    let localSeconds: @Sendable () -> Int64
    /// After a reconnect, until the handles have been listed again.
    var handlesAreStale = false
    var shots = 0
    var toVanish: ObjectHandle?
    var complaints: [String] = []
    var dateTime = ""
    /// Whether the slots hold the card.
    var isCardIn = true
    private let listsObjectProperties: Bool

    init(
        card: VirtualCard, traits: CameraTraits, localSeconds: @escaping @Sendable () -> Int64,
        _ faults: inout Faults
    ) {
        self.card = card
        self.traits = traits
        self.localSeconds = localSeconds
        contents = ContentMaker(seed: card.settings.seed)
        listsObjectProperties = faults.has(.objectProperties)
        for object in card.objects where !object.isFolder { spoil(object.handle, &faults) }
    }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
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

    var operations: OperationTable {
        listsObjectProperties ? traits.operations.withObjectProperties : traits.operations
    }

    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let first = operation.parameters.first ?? 0
        if let refusal = refusal(of: operation, &faults, at: now) { return .refusal(refusal) }
        return answer(to: operation, first, &faults, at: now)
    }

    /// What goes wrong before the operation is looked at.
    private mutating func refusal(
        of operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> ResponseCode? {
        if !isCardIn, operations.needCard.contains(operation.code) {
            return .storeNotAvailable
        }
        guard let object = operations.object(of: operation.code, operation.parameters) else {
            if operation.code == .getObjectHandles { handlesAreStale = false }
            return nil
        }
        if handlesAreStale, faults.take(.staleHandles, object: object) != nil { return .invalidObjectHandle }
        guard let known = card[object] else { return .invalidObjectHandle }
        if let rule = faults.first(.notReady), let window = rule.duration("for"), let shotAt = known.shotAt,
            now - shotAt < window
        {
            return ResponseCode(rawValue: UInt16(rule.number("code") ?? 0x2002))
        }
        return nil
    }

    private mutating func answer(
        to operation: Responder.Operation, _ first: UInt32, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let object = ObjectHandle(rawValue: first)
        switch operation.code {
        case .getDeviceInfo:
            return .dataset(deviceInfo(&faults))
        case .getStorageIDs:
            return storageIDs(faults)
        case .getStorageInfo:
            guard card.storages.contains(StorageID(rawValue: first)) else {
                return .refusal(.invalidStorageID)
            }
            let info = storageInfo(StorageID(rawValue: first))
            let length = faults.take(.shortStorageInfo, operation: operation.code)?.number("bytes")
            return .dataset(length.map { Array(info.prefix(Int($0))) } ?? info)
        case .getNumObjects, .getObjectHandles:
            return handles(operation, &faults)
        case .getObjectInfo:
            return objectInfo(object, &faults, at: now)
        case .getObject, .getPartialObject, .getPartialObject64:
            return bytes(operation, object, &faults)
        case .getThumb:
            return thumbnail(object)
        case .deleteObject:
            return delete(object)
        case .setObjectProtection:
            card.setProtected(object, operation.parameters.count > 1 && operation.parameters[1] != 0)
            return BodyAnswer(code: .ok)
        case .initiateCapture:
            return BodyAnswer(shoot(&faults, at: now))
        case .getDevicePropDesc, .getDevicePropValue, .setDevicePropValue:
            return property(operation)
        case .getObjectPropsSupported, .getObjectPropDesc, .getObjectPropValue, .getObjectPropList:
            return objectProperty(operation, faults)
        default:
            return .refusal(.operationNotSupported)
        }
    }

    private func storageIDs(_ faults: Faults) -> BodyAnswer {
        if faults.has(.inMemory) { return .dataset(StorageIDList([]).encoded) }
        // "The low half is 0: the slot is there, and no medium in it" (PIMA 15740 §8.1).
        let storages =
            isCardIn ? card.storages : card.storages.map { StorageID(rawValue: $0.rawValue & 0xFFFF_0000) }
        return .dataset(StorageIDList(storages).encoded)
    }

    private func handles(_ operation: Responder.Operation, _ faults: inout Faults) -> BodyAnswer {
        var parameters = operation.parameters + [0, 0, 0]
        let storage = StorageID(rawValue: parameters[0])
        guard storage == .all || card.storages.contains(storage) else { return .refusal(.invalidStorageID) }
        if storage == .all, !faults.has(.inMemory), faults.take(.listByStorage) != nil {
            return .refusal(.invalidStorageID)
        }
        if parameters[2] == 0, let rule = faults.take(.listByLevel, operation: operation.code) {
            if let code = rule.number("code") { return .refusal(ResponseCode(rawValue: UInt16(code))) }
            parameters[2] = ObjectHandle.all.rawValue
        }
        let handles = card.handles(storage: storage, format: parameters[1], parent: parameters[2])
        if operation.code == .getNumObjects {
            return BodyAnswer(code: .ok, parameters: [UInt32(handles.count)])
        }
        return .dataset(HandleList(handles).encoded)
    }
}
