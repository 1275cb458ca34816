import PTP

extension VirtualBody {
    mutating func objectInfo(
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
            if faults.has(.inMemory) { toVanish = handle }
            return BodyAnswer(code: .ok, data: .content(content, 0..<content.length))
        }
        guard let range = part(operation, of: content.length) else { return .refusal(.invalidParameter) }
        if faults.has(.inMemory), range.upperBound == content.length { toVanish = handle }
        var sent = Int64(range.count)
        if let rule = faults.take(.wrongSentCount, object: handle, operation: operation.code) {
            sent += rule.difference("by")
        }
        var answer = BodyAnswer(code: .ok, data: .content(content, range))
        answer.parameters = [UInt32(truncatingIfNeeded: sent)]
        return answer
    }

    /// What is asked for of an object so long; nothing where it begins behind the end.
    private func part(_ operation: Responder.Operation, of length: UInt64) -> Range<UInt64>? {
        let parameters = operation.parameters + [0, 0, 0, 0]
        var offset = UInt64(parameters[1])
        var most = UInt64(parameters[2])
        if operation.code == .getPartialObject64 {
            (offset, most) = (UInt64(parameters[2]) << 32 | offset, UInt64(parameters[3]))
        }
        // "0xFFFFFFFF: to the end" (PIMA 15740 §10.4.28).
        if most == 0xFFFF_FFFF { most = .max }
        guard offset <= length else { return nil }
        return offset..<(length - offset > most ? offset + most : length)
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
