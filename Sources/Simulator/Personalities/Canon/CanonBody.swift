import PTP

/// What stands behind a Canon's protocol: its own operations, and a queue of records instead of notices. What is the
/// standard's, the virtual body does.
struct CanonBody: CameraBody {
    let kind: CanonModel
    var plain: VirtualBody
    var queue = CanonQueue()
    private var eventMode: UInt32 = 0
    private var remoteMode: UInt32 = 0
    private let firstDestination: UInt32
    var destination: CanonDestination
    /// The client has told that its disk has room.
    private var knowsHostDisk = false
    /// Photos that wait in memory for the client, and lie on no card or on one as well.
    var waiting: Set<ObjectHandle> = []
    var onlyWaiting: Set<ObjectHandle> = []
    var isLocked = false
    /// Records of photos that are still being written to the card.
    private var late: [(at: Duration, record: [UInt8])] = []
    /// Deleted on the body while they were on their way.
    private var deleted: Set<ObjectHandle> = []
    private var keptOnAt = Duration.zero
    var complaints: [String] = []

    /// As many as the memory holds.
    private static let mostWaiting = 16

    init(_ kind: CanonModel, _ plain: VirtualBody, _ faults: Faults) {
        self.kind = kind
        self.plain = plain
        firstDestination =
            switch faults.first(.canonDestination)?.text("to") {
            case "host": 4
            case "both": 6
            default: 2
            }
        destination = CanonDestination(rawValue: firstDestination)
    }

    var operations: OperationTable { plain.operations }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
        plain.connected(isFirst: isFirst, &faults)
        forgetSession()
    }

    private mutating func forgetSession() {
        (eventMode, remoteMode, isLocked, knowsHostDisk) = (0, 0, false, false)
        queue = CanonQueue()
        late = []
        destination = CanonDestination(rawValue: firstDestination)
        // "Objects that are only in memory may be lost with the connection."
        for handle in onlyWaiting { plain.card.remove(handle) }
        (waiting, onlyWaiting) = ([], [])
    }

    mutating func delivered() { plain.delivered() }
    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { [] }
    var photos: [CardPhoto] { plain.photos }

    mutating func takeComplaints() -> [String] {
        defer { complaints = [] }
        return complaints + plain.takeComplaints()
    }

    mutating func switchedOff(_ faults: Faults) {
        plain.switchedOff(faults)
        forgetSession()
    }

    // MARK: What happens

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot {
        if destination.includesHost, !knowsHostDisk || waiting.count >= Self.mostWaiting {
            complaints.append(
                knowsHostDisk
                    ? "busy: photos wait in memory for the client" : "busy: the client's disk has no room")
            return Shot()
        }
        let (objects, notices) = plain.press(&faults, at: now)
        var shot = Shot()
        shot.objects = objects
        for notice in Self.rawFirst(notices) { note(notice, &faults, at: now) }
        if let count = faults.take(.canonProperties)?.number("count") {
            for number in 0..<count { tell(CanonRecords.property(0xD200 + UInt32(number % 256), 1)) }
        }
        if eventMode != 0, kind.pushesRequests {
            shot.notices = [EventPacket(code: EventCode.Canon.requestGetEvent)]
        }
        return shot
    }

    /// "CR3 handle …01, JPEG …02, in this order."
    private static func rawFirst(_ notices: [CardNotice]) -> [CardNotice] {
        func handle(_ notice: CardNotice) -> ObjectHandle? {
            if case .objectAdded(let handle) = notice { handle } else { nil }
        }
        var added = notices.compactMap(handle).sorted { $0.rawValue < $1.rawValue }[...]
        return notices.map { notice in
            handle(notice) == nil ? notice : added.popFirst().map { .objectAdded($0) } ?? notice
        }
    }

    private mutating func note(_ notice: CardNotice, _ faults: inout Faults, at now: Duration) {
        switch notice {
        case .objectAdded(let handle): added(handle, &faults, at: now)
        case .storeAdded(let storage): tell(CanonRecords.number(0xC192, storage.rawValue))
        case .storeRemoved(let storage): tell(CanonRecords.number(0xC193, storage.rawValue))
        case .captureComplete: tell(CanonRecords.number(0xC18B, 0))
        case .storeFull: tell(CanonRecords.property(CanonQueue.availableShots, 0))
        case .propertyChanged(let property):
            tell(CanonRecords.property(UInt32(property.rawValue), 0))
        }
    }

    private mutating func added(_ handle: ObjectHandle, _ faults: inout Faults, at now: Duration) {
        guard let object = plain.card[handle] else { return }
        let form =
            faults.has(.canonLongNames) ? .longNames : kind.hasWideRecords ? .wide : CanonRecords.Form.narrow
        if destination.rawValue != 4 {
            let record = CanonRecords.added(object, form)
            if destination.includesHost, let time = faults.take(.canonLateCard)?.duration("after") {
                if late.count < Self.mostWaiting { late.append((now + time, record)) }
            } else {
                tell(record)
            }
        }
        guard destination.includesHost else { return }
        waiting.insert(handle)
        if destination.rawValue == 4 { onlyWaiting.insert(handle) }
        tell(CanonRecords.requested(object, form))
        if faults.take(.canonWithdraw, object: handle) != nil {
            letGo(handle)
            tell(CanonRecords.number(0xC18F, handle.rawValue))
        }
    }

    /// Without event mode nothing is kept for the client.
    mutating func tell(_ record: [UInt8]) {
        if eventMode != 0 { queue.append(record) }
    }

    private mutating func letGo(_ handle: ObjectHandle) {
        waiting.remove(handle)
        if onlyWaiting.remove(handle) != nil { plain.card.remove(handle) }
    }

    mutating func pullCard() -> [EventPacket]? {
        guard plain.pullCard() != nil else { return nil }
        for storage in plain.card.storages { tell(CanonRecords.number(0xC193, storage.rawValue)) }
        return []
    }

    mutating func insertCard() -> [EventPacket]? {
        guard plain.insertCard() != nil else { return nil }
        for storage in plain.card.storages { tell(CanonRecords.number(0xC192, storage.rawValue)) }
        return []
    }
}

extension CanonBody {
    // MARK: Operations

    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        if isLocked { return .refusal(.deviceBusy) }
        let first = operation.parameters.first ?? 0
        switch operation.code {
        case OperationCode.Canon.setRemoteMode: return setRemoteMode(first)
        case OperationCode.Canon.setEventMode: return setEventMode(first, at: now)
        case OperationCode.Canon.getEvent: return getEvent(&faults, at: now)
        case OperationCode.Canon.keepDeviceOn:
            keptOnAt = now
            complaints.append("kept on")
            return BodyAnswer(code: .ok)
        case OperationCode.Canon.hostDiskCapacity:
            knowsHostDisk = true
            tell(CanonRecords.property(CanonQueue.availableShots, 1000))
            return BodyAnswer(code: .ok)
        case OperationCode.Canon.transferComplete:
            guard waiting.contains(ObjectHandle(rawValue: first)) else {
                return .refusal(.invalidObjectHandle)
            }
            letGo(ObjectHandle(rawValue: first))
            return BodyAnswer(code: .ok)
        case OperationCode.Canon.setDevicePropValueEx: return setProperty(operation.data)
        case OperationCode.Canon.remoteReleaseOn: return release(first, &faults, at: now)
        case OperationCode.Canon.remoteReleaseOff, OperationCode.Canon.setUILock,
            OperationCode.Canon.resetUILock, OperationCode.Canon.cancelTransfer,
            OperationCode.Canon.setObjectAttributes, OperationCode.Canon.setRequestOLCInfoGroup:
            return BodyAnswer(code: .ok)
        case OperationCode.Canon.getObjectInfoEx: return list(operation.parameters)
        default: return standard(operation, &faults, at: now)
        }
    }

    /// The standard's operation, or Canon's form of one.
    private mutating func standard(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let meant: OperationCode =
            switch operation.code {
            case OperationCode.Canon.getStorageIDs: .getStorageIDs
            case OperationCode.Canon.getStorageInfo: .getStorageInfo
            case OperationCode.Canon.getPartialObject, OperationCode.Canon.getPartialObjectEx:
                .getPartialObject
            case OperationCode.Canon.getPartialObjectEx64: .getPartialObject64
            default: operation.code
            }
        let object = operations.object(of: operation.code, operation.parameters)
        let isPart = operations.partialReads.contains(operation.code)
        // "Deleting on the body during a transfer: 0x2002 General_Error."
        if isPart, let object, deleted.contains(object) { return .refusal(.generalError) }
        var answer = plain.perform(operation.as(meant), &faults, at: now)
        if isPart, let object, faults.take(.canonDeletes, object: object) != nil {
            deleted.insert(object)
            plain.card.remove(object)
            tell(CanonRecords.number(0xC182, object.rawValue))
        }
        guard case .bytes(let bytes) = answer.data else { return answer }
        do throws(Malformed) {
            if let data = try withoutMemory(meant, operation.parameters, bytes) { answer.data = .bytes(data) }
        } catch {
            complaints.append("\(error)")
        }
        return answer
    }

    /// What only waits in memory lies on no card.
    private func withoutMemory(
        _ code: OperationCode, _ parameters: [UInt32], _ bytes: [UInt8]
    ) throws(Malformed) -> [UInt8]? {
        guard !onlyWaiting.isEmpty else { return nil }
        switch code {
        case .getObjectHandles:
            let listed = try HandleList(decoding: bytes[...]).handles
            return HandleList(listed.filter { !onlyWaiting.contains($0) }).encoded
        case .getObjectInfo where onlyWaiting.contains(ObjectHandle(rawValue: parameters.first ?? 0)):
            var info = try ObjectInfo(decoding: bytes[...])
            (info.storage, info.parent) = (StorageID(rawValue: 0), .root)
            return info.encoded
        default: return nil
        }
    }

    private mutating func setRemoteMode(_ mode: UInt32) -> BodyAnswer {
        remoteMode = mode
        complaints.append("remote mode \(mode)")
        if mode != 0, kind.isBlackInRemoteMode {
            complaints.append("the screen is black and the dials are locked")
        }
        return BodyAnswer(code: .ok)
    }

    private mutating func setEventMode(_ mode: UInt32, at now: Duration) -> BodyAnswer {
        complaints.append("event mode \(mode)")
        if eventMode == 0, mode != 0 {
            keptOnAt = now
            queue.begin(destination)
        }
        eventMode = mode
        return BodyAnswer(code: .ok)
    }

    private mutating func getEvent(_ faults: inout Faults, at now: Duration) -> BodyAnswer {
        if let limit = faults.first(.canonShutdown)?.duration("after"), now - keptOnAt >= limit {
            // It says so once for each time that it was not kept on.
            keptOnAt = now
            tell(CanonRecords.number(0xC18D))
            complaints.append("will soon switch itself off")
        }
        while let first = late.first, first.at <= now {
            tell(first.record)
            late.removeFirst()
        }
        let tail = faults.take(.canonEventTail)?.number("bytes") ?? 0
        return .dataset(
            queue.take() + CanonRecords.terminator + [UInt8](repeating: 0xEE, count: Int(tail)))
    }
}
