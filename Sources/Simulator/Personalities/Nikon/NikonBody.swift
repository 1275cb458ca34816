import PTP

/// What stands behind a Nikon: a card and a shutter, and Nikon's own operations in front of them.
struct NikonBody: CameraBody {
    var inner: VirtualBody
    let model: NikonModel
    let profiles: NikonProfiles
    /// What it has to tell the client that asks.
    private var waiting: [NikonEventList.Record] = []
    private var isInApplicationMode = false
    /// In picture-transfer mode: what is queued to be sent, and what may be had now.
    private var queued: [ObjectHandle] = []
    private var issued: ObjectHandle?
    /// What it keeps in memory, the oldest first: only that can be had.
    private var kept: [CardObject] = []
    /// How often it was asked for its code in this connection.
    private var askedForCode = 0

    init(inner: VirtualBody, model: NikonModel, profiles: NikonProfiles) {
        self.inner = inner
        self.model = model
        self.profiles = profiles
    }

    var operations: OperationTable { inner.operations }
    var photos: [CardPhoto] { inner.photos + kept.map { inner.photo($0) } }

    private var isPaired: Bool { model.ritual != .pairing || profiles.knowsClient }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
        inner.connected(isFirst: isFirst, &faults)
        inner.traits = model.traits(isPaired: isPaired)
        // "Queued events from the gap are usually lost with the session."
        waiting = []
        isInApplicationMode = false
        askedForCode = 0
    }

    mutating func delivered() { inner.delivered() }
    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { [] }
    mutating func takeComplaints() -> [String] { inner.takeComplaints() }

    mutating func switchedOff(_ faults: Faults) {
        inner.switchedOff(faults)
        waiting = []
        kept = []
        isInApplicationMode = false
    }

    // MARK: What happens

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot {
        let (objects, notices) = inner.press(&faults, at: now)
        var shot = Shot()
        shot.objects = objects
        if faults.has(.nikonPictureTransfer) { queued += objects }
        guard !objects.isEmpty, faults.take(.nikonInMemory) != nil else {
            shot.notices = tell(notices.map(\.notice))
            return shot
        }
        for handle in objects { keep(handle) }
        shot.notices = tell([
            EventPacket(code: .nikonObjectAddedInMemory, parameters: [0]),
            EventPacket(code: .nikonCaptureCompleteInMemory),
        ])
        return shot
    }

    /// It never comes onto the card.
    private mutating func keep(_ handle: ObjectHandle) {
        guard var object = inner.card[handle] else { return }
        inner.card.remove(handle)
        object.handle = .nikonInMemory
        object.storage = StorageID(rawValue: 0)
        kept.append(object)
    }

    mutating func pullCard() -> [EventPacket]? { inner.pullCard().map { tell($0) } }
    mutating func insertCard() -> [EventPacket]? { inner.insertCard().map { tell($0) } }

    /// Into its list; pushed as well where such a body does that.
    private mutating func tell(_ notices: [EventPacket]) -> [EventPacket] {
        for notice in notices where waiting.count < NikonEventList.mostRecords {
            waiting.append(NikonEventList.Record(notice.code, notice.parameters))
        }
        return model.pushes ? notices : []
    }

    // MARK: Operations

    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard operations.offered.contains(operation.code) else {
            complain(operation.code)
            return .refusal(.operationNotSupported)
        }
        if let refusal = refusal(of: operation, faults, at: now) { return .refusal(refusal) }
        let isKept = operations.object(of: operation.code, operation.parameters) == .nikonInMemory
        if isKept, let object = kept.first { inner.card.append(object) }
        defer { if isKept { inner.card.remove(.nikonInMemory) } }
        var answer = answer(to: operation, &faults, at: now)
        // "Start Data and one End Data holding the entire object."
        if answer.hasData { answer.packets = .oneEnd }
        return answer
    }

    private mutating func complain(_ code: OperationCode) {
        // "Sending generation-3 operations to a Z 5 shows a wireless error on its screen."
        let error = model.ritual == .property ? ": a wireless error is on the screen" : ""
        inner.complaints.append("\(code.described(for: .nikon)) is not among its operations\(error)")
    }

    private func refusal(
        of operation: Responder.Operation, _ faults: Faults, at now: Duration
    ) -> ResponseCode? {
        if faults.has(.nikonPictureTransfer), Self.behindLock.contains(operation.code),
            ObjectHandle(rawValue: operation.parameters.first ?? 0) != issued
        {
            return .accessDenied
        }
        guard operation.code == .getObjectInfo, !faults.has(.notReady),
            let object = inner.card[ObjectHandle(rawValue: operation.parameters.first ?? 0)],
            let shotAt = object.shotAt, now - shotAt < model.readyAfter
        else { return nil }
        return .generalError
    }

    private mutating func answer(
        to operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let first = operation.parameters.first ?? 0
        switch operation.code {
        case .nikonGetEvent, .nikonGetEventEx: return events(operation.code, &faults)
        case .nikonDeviceReady: return BodyAnswer(code: .ok)
        case .nikonDeleteImageInMemory:
            guard !kept.isEmpty else { return .refusal(.invalidObjectHandle) }
            kept.removeFirst()
            inner.contents.forget()
            return BodyAnswer(code: .ok)
        case .nikonChangeApplicationMode:
            guard first <= 1 else { return .refusal(.invalidParameter) }
            setApplicationMode(first == 1)
            return BodyAnswer(code: .ok)
        case .nikonGetPairingInfo: return pairingInfo(faults)
        case .nikonConfirmPairing: return confirm(first, faults)
        case .nikonGetVendorStorageIDs:
            return .dataset(StorageIDList(inner.isCardIn ? inner.card.storages : []).encoded)
        case .nikonInitiateCaptureToMedia, .initiateCapture:
            return BodyAnswer(shoot(&faults, at: now))
        case .nikonGetObjectSize, .nikonGetLargeThumb, .nikonGetPartialObjectEx:
            return object(operation, &faults, at: now)
        case .nikonAdvancedTransfer: return nextJob(first, faults)
        case .getDevicePropValue, .getDevicePropDesc, .setDevicePropValue:
            return property(operation, &faults, at: now)
        default: return inner.perform(operation, &faults, at: now)
        }
    }

    private mutating func events(_ code: OperationCode, _ faults: inout Faults) -> BodyAnswer {
        if faults.take(.nikonBrokenEvents, operation: code) != nil {
            // "Count larger than data."
            return .dataset([0x05, 0x00, 0x02, 0x40, 0x01, 0x4A, 0x19, 0x09])
        }
        let list = NikonEventList(waiting)
        waiting = []
        return .dataset(list.encoded(code == .nikonGetEvent ? .short : .extended))
    }

    /// What is said of an object in operations of Nikon's own, as far as there is such an object.
    private mutating func object(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let handle = ObjectHandle(rawValue: operation.parameters.first ?? 0)
        guard let object = inner.card[handle] else { return .refusal(.invalidObjectHandle) }
        switch operation.code {
        case .nikonGetObjectSize:
            var writer = ByteWriter()
            writer.append(object.size)
            return .dataset(writer.bytes)
        case .nikonGetLargeThumb: return inner.thumbnail(handle)
        default: return inner.bytes(operation, handle, &faults)
        }
    }

    // MARK: Picture transfer

    /// "A Z 6II answers GetObjectInfo and GetPartialObject with 0x200F Access_Denied until the camera itself has queued
    /// pictures"; "0x9431 is not blocked by the lock".
    private static let behindLock: Set<OperationCode> = [
        .getObjectInfo, .getPartialObject, .getObject, .getThumb,
    ]

    /// "It blocks until a picture is queued; call again with the status of the finished job to acknowledge."
    private mutating func nextJob(_ status: UInt32, _ faults: Faults) -> BodyAnswer {
        guard faults.has(.nikonPictureTransfer) else { return .refusal(.nikonNoTransferList) }
        if let done = issued, status != 0 {
            inner.complaints.append("\(done) was sent with status \(Hex.code(status))")
            issued = nil
        }
        guard let next = issued ?? (queued.isEmpty ? nil : queued.removeFirst()) else {
            var later = BodyAnswer(code: .ok)
            later.isLater = true
            return later
        }
        issued = next
        var writer = ByteWriter()
        writer.append(next.rawValue)
        return .dataset(writer.bytes)
    }

    // MARK: The application mode

    private mutating func setApplicationMode(_ isOn: Bool) {
        isInApplicationMode = isOn
        inner.complaints.append("application mode \(isOn ? "on" : "off")")
    }

    private mutating func property(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let code = DevicePropertyCode(rawValue: UInt16(truncatingIfNeeded: operation.parameters.first ?? 0))
        guard code == .nikonApplicationMode, model.ritual == .property else {
            return inner.perform(operation, &faults, at: now)
        }
        switch operation.code {
        case .getDevicePropValue: return .dataset([isInApplicationMode ? 1 : 0])
        case .getDevicePropDesc:
            return .dataset(
                DevicePropertyDescription(
                    code: code, type: .uint8, isWritable: true, factoryDefault: .unsigned(0),
                    current: .unsigned(isInApplicationMode ? 1 : 0),
                    form: .enumeration([.unsigned(0), .unsigned(1)])
                ).encoded)
        default:
            guard operation.data.count == 1, let value = operation.data.first, value <= 1 else {
                return .refusal(.invalidDevicePropValue)
            }
            setApplicationMode(value == 1)
            return BodyAnswer(code: .ok)
        }
    }

    // MARK: Pairing

    /// "Poll until OK with non-empty data."
    private mutating func pairingInfo(_ faults: Faults) -> BodyAnswer {
        askedForCode += 1
        let rule = faults.first(.nikonPairing)
        guard askedForCode > Int(rule?.number("empty") ?? 2) else { return .dataset([]) }
        let code = Int(rule?.number("code") ?? 1234)
        return .dataset(Self.written(code, as: rule?.text("as") ?? "ascii"))
    }

    private static func written(_ code: Int, as writing: String) -> [UInt8] {
        let digits = [1000, 100, 10, 1].map { UInt8(code / $0 % 10) }
        switch writing {
        case "utf-16": return digits.flatMap { [0x30 + $0, 0] }
        case "bcd": return [digits[0] << 4 | digits[1], digits[2] << 4 | digits[3]]
        case "number": return [UInt8(truncatingIfNeeded: code), UInt8(truncatingIfNeeded: code >> 8)]
        default: return digits.map { 0x30 + $0 }
        }
    }

    private mutating func confirm(_ parameter: UInt32, _ faults: Faults) -> BodyAnswer {
        guard parameter == 0x2001, askedForCode > 0 else { return .refusal(.invalidParameter) }
        let rule = faults.first(.nikonPairing)
        var answer = BodyAnswer(code: .ok)
        // A person never presses OK.
        if rule?.text("confirm") == "forever" { return answer }
        profiles.keep()
        answer.restart = BodyAnswer.Restart(
            after: rule?.duration("confirm") ?? .milliseconds(300),
            lasting: rule?.duration("restart") ?? .milliseconds(500))
        return answer
    }
}
