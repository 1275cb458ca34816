import PTP

extension VirtualBody {
    mutating func objectInfo(
        _ handle: ObjectHandle, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard let object = card[handle] else { return .refusal(.invalidObjectHandle) }
        return objectInfo(object, &faults, at: now) { info, faults in
            if faults.has(.inMemory) { info.storage = StorageID(rawValue: 0) }
        }
    }

    /// What a script makes of what is said of an object, which a maker's body says in its own way.
    func objectInfo(
        _ object: CardObject, _ faults: inout Faults, at now: Duration,
        _ change: (inout ObjectInfo, Faults) -> Void
    ) -> BodyAnswer {
        let handle = object.handle
        var shown = object.size
        if let rule = faults.first(.lateSize), let window = rule.duration("for"), let shotAt = object.shotAt,
            now - shotAt < window
        {
            shown = rule.number("as") ?? 0
        }
        if let rule = faults.take(.wrongSize, object: handle, operation: .getObjectInfo) {
            shown = rule.number("as") ?? rule.changed(object.size)
        }
        var info = object.info(size: shown)
        change(&info, faults)
        guard faults.take(.truncateStrings, object: handle) != nil else { return .dataset(info.encoded) }
        info.captureDate = ""
        info.modificationDate = ""
        info.keywords = ""
        // Three empty strings of one byte each, left out.
        return .dataset(info.encoded.dropLast(3))
    }

    mutating func bytes(
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
        if operation.code == .getObject {
            if Self.letsGo(faults) { toVanish = handle }
            return BodyAnswer(code: .ok, data: .content(content, 0..<content.length))
        }
        guard let range = part(operation, of: content.length) else { return .refusal(.invalidParameter) }
        if range.lowerBound == content.length,
            let rule = faults.take(.refuseEnd, object: handle, operation: operation.code)
        {
            return .refusal(ResponseCode(rawValue: UInt16(rule.number("code") ?? 0x201D)))
        }
        if Self.letsGo(faults), range.upperBound == content.length { toVanish = handle }
        let given = spoilt(range, operation, handle, &faults)
        var sent = Int64(given.count)
        if let rule = faults.take(.wrongSentCount, object: handle, operation: operation.code) {
            sent += rule.difference("by")
        }
        let padded: any ObjectContent =
            given.upperBound > content.length
            ? PaddedContent(base: content, length: given.upperBound) : content
        var answer = BodyAnswer(code: .ok, data: .content(padded, given))
        answer.parameters = [UInt32(truncatingIfNeeded: sent)]
        if operation.code == .nikonGetPartialObjectEx {
            answer.parameters.append(UInt32(truncatingIfNeeded: sent >> 32))
        }
        return answer
    }

    /// A photo in memory is gone as soon as a client has it.
    private static func letsGo(_ faults: Faults) -> Bool {
        faults.first(.inMemory)?.text("until") == "fetched"
    }

    /// What is asked for of an object so long; nothing where it begins behind the end.
    private func part(_ operation: Responder.Operation, of length: UInt64) -> Range<UInt64>? {
        let parameters = operation.parameters + [0, 0, 0, 0, 0]
        var offset = UInt64(parameters[1])
        var most = UInt64(parameters[2])
        switch operation.code {
        case .getPartialObject64:
            (offset, most) = (UInt64(parameters[2]) << 32 | offset, UInt64(parameters[3]))
        case .nikonGetPartialObjectEx:
            (offset, most) = (
                UInt64(parameters[2]) << 32 | offset, UInt64(parameters[4]) << 32 | UInt64(parameters[3])
            )
        default: break
        }
        // "0xFFFFFFFF: to the end" (PIMA 15740 §10.4.28).
        if most == 0xFFFF_FFFF { most = .max }
        guard offset <= length else { return nil }
        return offset..<(length - offset > most ? offset + most : length)
    }

    /// What is given instead, where a camera reads another place or another count than it was asked for.
    private func spoilt(
        _ range: Range<UInt64>, _ operation: Responder.Operation, _ handle: ObjectHandle,
        _ faults: inout Faults
    ) -> Range<UInt64> {
        var start = range.lowerBound
        var count = UInt64(range.count)
        if faults.take(.ignoreOffset, object: handle, operation: operation.code) != nil { start = 0 }
        if let rule = faults.take(.partLength, object: handle, operation: operation.code) {
            count = rule.changed(count)
        }
        return start..<start + count
    }

    mutating func thumbnail(_ handle: ObjectHandle) -> BodyAnswer {
        guard let object = card[handle] else { return .refusal(.invalidObjectHandle) }
        do {
            return try contents.thumbnail(of: object).map { .dataset($0) } ?? .refusal(.noThumbnailPresent)
        } catch {
            complaints.append("\(object.name): \(error)")
            return .refusal(.generalError)
        }
    }

    mutating func delete(_ handle: ObjectHandle) -> BodyAnswer {
        guard let object = card[handle] else { return .refusal(.invalidObjectHandle) }
        guard !object.isProtected else { return .refusal(.objectWriteProtected) }
        guard !object.isFolder || !card.objects.contains(where: { $0.parent == handle }) else {
            return .refusal(.partialDeletion)
        }
        card.remove(handle)
        contents.forget()
        return BodyAnswer(code: .ok)
    }
}
