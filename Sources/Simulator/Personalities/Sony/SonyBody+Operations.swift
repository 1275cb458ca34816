import PTP

extension SonyBody {
    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        if stage == .crashed { return .refusal(.generalError) }
        // A photo that was under way until now has been cancelled or read.
        leaving = nil
        guard operations.offered.contains(operation.code) else { return unknown(operation.code) }
        switch operation.code {
        case .getDeviceInfo:
            return .dataset(deviceInfo(&faults))
        case .sonyConnect, .sonyExtendedDeviceInfo:
            return greet(operation, &faults, at: now)
        case .sonyAllProperties, .sonySetProperty, .sonyControl:
            guard stage == .remote || stage == .card && operation.code == .sonyAllProperties else {
                return .refusal(.generalError)
            }
            return remote(operation, &faults, at: now)
        case .sonySendToComputer, .sonySendToComputerStatus:
            return sendToComputer(operation)
        case .sonySetTransferMode, .sonyPartialLargeObject:
            return transfer(operation, &faults, at: now)
        case .sonyContentDates, .sonyContentList, .sonyContentData, .sonyContentThumbnail:
            return contents(operation, &faults)
        // What cards there are is told before the start as well: airmtp asks for it first.
        case .getStorageIDs where sendsToComputer, .getStorageInfo where sendsToComputer:
            return card.perform(operation, &faults, at: now)
        default:
            return stage == .card
                ? onCard(operation, &faults, at: now) : inMemory(operation, &faults, at: now)
        }
    }

    /// "An operation that the body does not know can poison the session."
    private mutating func unknown(_ code: OperationCode) -> BodyAnswer {
        complaints.append("\(code) is not listed and was sent all the same")
        guard code.rawValue >= 0x9000 else { return .refusal(.operationNotSupported) }
        stage = .crashed
        return .refusal(.generalError)
    }

    private func deviceInfo(_ faults: inout Faults) -> [UInt8] {
        var info = DeviceInfo()
        info.vendorExtensionID = card.traits.vendorExtensionID
        info.vendorExtensionVersion = card.traits.vendorExtensionVersion
        info.vendorExtensionDescription = card.traits.vendorExtensionDescription
        info.operations = operations.offered.filter { !operations.isMissing($0, faults) }
        info.events = card.traits.events
        info.imageFormats = [.exifJPEG, FormatCode(rawValue: 0xB301), .sonyARW]
        info.manufacturer = card.card.settings.make
        info.model = model.model
        info.deviceVersion = model.deviceVersion
        // "Sony pads with zeros."
        let serial = card.card.settings.serial
        info.serialNumber = String(repeating: "0", count: max(0, 32 - serial.count)) + serial
        return info.encoded
    }

    // MARK: The greeting

    private mutating func greet(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard !sendsToComputer else { return .refusal(.generalError) }
        // libgphoto2 greets a body anew whenever it looks at it.
        let done = if case .greeting(let done) = stage { done } else { 3 }
        if operation.code == .sonyExtendedDeviceInfo {
            guard done >= 2 else { return .refusal(.generalError) }
            if faults.take(.sonyEmptyInfo) != nil { return .dataset([]) }
            let wanted = SonyVersion(
                rawValue: UInt16(truncatingIfNeeded: operation.parameters.first ?? 0))
            version = min(model.version, max(.two, wanted))
            hasExtendedInfo = true
            let info = SonyExtendedDeviceInfo(
                version: version, properties: properties(faults, at: .zero).map(\.code),
                controls: [.sonyHalfPress, .sonyShutter])
            return .dataset(info.encoded)
        }
        let step = Int(operation.parameters.first ?? 0)
        guard step == 1 || step == done + 1 || done == 3, step < 3 || hasExtendedInfo else {
            return .refusal(.generalError)
        }
        stage = step == 3 ? .remote : .greeting(step)
        if step == 3 {
            greetedAt = now
            complaints.append("greeted, by the rules of version \(Hex.code(version.rawValue))")
        }
        return .dataset([UInt8](repeating: 0, count: 8))
    }

    // MARK: Remote mode

    private mutating func remote(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard operation.code != .sonyAllProperties else {
            return .dataset(SonyPropertyList(properties(faults, at: now)).encoded(for: version))
        }
        let code = DevicePropertyCode(rawValue: UInt16(truncatingIfNeeded: operation.parameters.first ?? 0))
        if operation.code == .sonyControl, code == .sonyHalfPress {
            isHalfPressed = operation.data.first == 2
        }
        guard operation.code == .sonyControl, code == .sonyShutter, operation.data.first == 2 else {
            return BodyAnswer(code: .ok)
        }
        // "Some bodies need 3 s more before the first capture."
        if let rule = faults.first(.sonyWarmUp), let greetedAt,
            now - greetedAt < rule.duration("for") ?? .zero
        {
            return .refusal(ResponseCode(rawValue: UInt16(rule.number("code") ?? 0x2019)))
        }
        return BodyAnswer(shoot(&faults, at: now), orElse: ResponseCode(rawValue: 0xA105))
    }

    /// A few of the 78 that an RX100 M7 tells.
    func properties(_ faults: Faults, at now: Duration) -> [SonyProperty] {
        func choice(
            _ code: UInt16, _ type: DataTypeCode, _ value: UInt128, _ values: [UInt128]
        ) -> SonyProperty {
            let list = values.map { PropertyValue.unsigned($0) }
            return SonyProperty(
                code: DevicePropertyCode(rawValue: code), type: type, isWritable: true,
                factoryDefault: .unsigned(0), current: .unsigned(value),
                form: .enumeration(settable: list, gettable: list))
        }
        let waiting = SonyProperty(
            code: .sonyShotsWaiting, type: .uint16, factoryDefault: .unsigned(0),
            current: .unsigned(UInt128(waiting(faults, at: now).rawValue)),
            form: .range(minimum: .unsigned(0), maximum: .unsigned(0xFFFF), step: .unsigned(1)))
        var all = [
            choice(0x5005, .uint16, 2, [2, 4, 0x8011, 0x8010, 6, 0x8001]),
            choice(0x5007, .uint16, 280, [280, 320, 350, 400, 450, 500, 560]),
            choice(0x500A, .uint16, 0x8005, [2, 0x8005, 0x8004, 1]),
            choice(0xD20D, .uint32, 0x0001_000F, [0x012C_000A, 0x0001_000F]),
            // The focus: not looked for, and found.
            choice(0xD213, .uint8, isHalfPressed ? 2 : 1, []), waiting,
            choice(0xD21E, .uint32, 400, [0x00FF_FFFF, 100, 400, 1600]),
            choice(
                DevicePropertyCode.sonySaveDestination.rawValue, .uint16, UInt128(destination.rawValue), []),
        ]
        // An RX100 M7 was recorded without it; A7 bodies say here whether they write RAW, too.
        if !model.omitsVersion {
            let hasRaw = card.card.settings.hasRawToo
            all.insert(choice(0x5004, .uint8, hasRaw ? 0x13 : 0x02, [0x02, 0x03, 0x10, 0x13]), at: 0)
        }
        if model.transfersContent {
            all.append(
                choice(
                    DevicePropertyCode.sonyTransferEnabled.rawValue, .uint8,
                    showsCard(faults, at: now) ? 1 : 0, [0, 1]))
        }
        return all
    }

    private mutating func inMemory(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        switch operation.code {
        case .getObjectInfo, .getObject:
            break
        case .getStorageIDs, .getStorageInfo, .getNumObjects, .getObjectHandles:
            return .refusal(.storeNotAvailable)
        default:
            return .refusal(.invalidObjectHandle)
        }
        guard stage == .remote, operation.parameters.first == ObjectHandle.sonyOldestShot.rawValue else {
            return .refusal(.invalidObjectHandle)
        }
        guard let oldest = queue.first else {
            // "0xC202 when it has been fetched: do not GetObjectInfo on it."
            complaints.append("\(operation.code) was asked for with nothing in memory")
            return .refusal(.invalidObjectHandle)
        }
        guard oldest.readyAt <= now else {
            // "Fetching before ready can hang or crash the body."
            complaints.append("\(oldest.object.name) was asked for before it was ready")
            stage = .crashed
            return .refusal(.generalError)
        }
        guard operation.code == .getObject else {
            return card.objectInfo(oldest.object, &faults, at: now) { info, _ in
                info.storage = StorageID(rawValue: 0)
                info.parent = .root
            }
        }
        do {
            let content = try card.contents.content(of: oldest.object)
            leaving = oldest
            keepsWhatIsCut = faults.has(.sonyKeepsCut)
            if !keepsWhatIsCut { letGoOfOldest(faults, at: now) }
            var answer = BodyAnswer(code: .ok, data: .content(content, 0..<content.length))
            if model.pushes, !faults.has(.sonySilent) {
                let handle = ObjectHandle.sonyOldestShot.rawValue
                answer.notices = [
                    EventPacket(code: .sonyObjectRemoved, parameters: [handle]),
                    EventPacket(code: .sonyPropertyChanged),
                ]
            }
            return answer
        } catch {
            complaints.append("\(oldest.object.name): \(error)")
            return .refusal(.generalError)
        }
    }

    private mutating func letGoOfOldest(_ faults: Faults, at now: Duration) {
        queue.removeFirst()
        // The RAW of a pair that was told as one is ready a little later than its JPEG.
        guard faults.has(.sonyPairAsOne), let next = queue.first,
            next.object.sequence == leaving?.object.sequence
        else { return }
        queue[0] = Queued(object: next.object, readyAt: now + model.preparing)
    }
}

extension DevicePropertyCode {
    static let sonyHalfPress = DevicePropertyCode(rawValue: 0xD2C1)
    static let sonyShutter = DevicePropertyCode(rawValue: 0xD2C2)
}
