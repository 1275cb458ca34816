import Basics
import PTP

/// The card as newer bodies list it beside their memory, in PC Remote: 0x923B to 0x923E.
extension SonyBody {
    static let contentOperations: [OperationCode] = [
        .sonyContentDates, .sonyContentList, .sonyContentData, .sonyContentThumbnail,
    ]

    /// A shot of one or two files.
    private struct Content {
        let objects: [CardObject]

        /// The first file's handle, so that a script can name it.
        var id: UInt32 { objects[0].handle.rawValue }
        var created: UInt64 {
            UInt64(max(0, CivilTime(ptp: objects[0].date)?.secondsSince1970 ?? 0)) * 1000
        }
    }

    private var shots: [Content] {
        var shots: [[CardObject]] = []
        for object in card.card.objects where !object.isFolder {
            if let last = shots.last?.last, last.sequence == object.sequence, last.parent == object.parent {
                shots[shots.count - 1].append(object)
            } else {
                shots.append([object])
            }
        }
        return shots.map(Content.init)
    }

    mutating func contents(_ operation: Responder.Operation, _ faults: inout Faults) -> BodyAnswer {
        guard stage == .remote, card.isCardIn else { return .refusal(.storeNotAvailable) }
        let parameters = operation.parameters + [0, 0, 0, 0, 0]
        switch operation.code {
        case .sonyContentDates:
            guard parameters[0] == 1 else { return .refusal(.invalidParameter) }
            return dates()
        case .sonyContentList:
            guard parameters[3] == 1, operation.parameters.count == 5 else {
                return .refusal(.invalidParameter)
            }
            let after = UInt64(parameters[1]) << 32 | UInt64(parameters[0])
            return page(after, most: Int(min(parameters[2], 100)), faults)
        default:
            // "slot << 24 | file", and files are counted from 1.
            let file = Int(parameters[1] & 0xFF_FFFF)
            guard parameters[1] >> 24 == 1, let shot = shots.first(where: { $0.id == parameters[0] }),
                (1...shot.objects.count).contains(file)
            else { return .refusal(.invalidParameter) }
            let object = shot.objects[file - 1]
            return operation.code == .sonyContentThumbnail
                ? card.thumbnail(object.handle) : part(of: object, parameters)
        }
    }

    private func dates() -> BodyAnswer {
        let times = Set(shots.map { $0.created / 86_400_000 * 86_400_000 }).sorted()
        var writer = ByteWriter()
        writer.append(UInt32(times.count))
        for time in times { writer.append(time) }
        return .dataset(writer.bytes)
    }

    private func page(_ after: UInt64, most: Int, _ faults: Faults) -> BodyAnswer {
        let isRated = faults.first(.sonyContents)?.text("rated") == "yes"
        var list = SonyContentList(dataTime: dataTime, slot: 1)
        for shot in shots where after == 0 || shot.created > after {
            guard list.contents.count < most else { break }
            var content = SonyContentList.Content(id: shot.id)
            (content.created, content.createdLocal) = (shot.created, shot.created)
            content.isProtected = shot.objects[0].isProtected
            if isRated { content.rating = Int32(shot.objects[0].sequence % 6) }
            content.files = shot.objects.enumerated().map { index, object in
                SonyContentList.File(
                    id: UInt16(index + 1), path: path(of: object), format: UInt32(object.format.rawValue),
                    size: object.size, umid: umid(of: object))
            }
            list.contents.append(content)
        }
        return .dataset(list.encoded)
    }

    private func path(of object: CardObject) -> String {
        var names = [object.name]
        var parent = object.parent
        while let folder = card.card[parent] {
            names.insert(folder.name, at: 0)
            parent = folder.parent
        }
        return "A:/" + names.joined(separator: "/")
    }

    private func umid(of object: CardObject) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt128(0x060A_2B34))
        writer.append(card.card.uniqueID(of: object))
        return writer.bytes
    }

    /// "The response's parameters are a time, not a length"; bit 31 of the count says that it is the last part.
    private mutating func part(of object: CardObject, _ parameters: [UInt32]) -> BodyAnswer {
        let (offset, count) = (
            UInt64(parameters[3]) << 32 | UInt64(parameters[2]), UInt64(parameters[4] & 0x7FFF_FFFF)
        )
        guard count > 0, offset < object.size else { return .refusal(.invalidParameter) }
        let end = min(object.size, offset + count)
        if (parameters[4] >> 31 == 1) != (end == object.size) {
            complaints.append("bit 31 of 0x923D does not say whether \(object.name) ends at \(end)")
        }
        do {
            let content = try card.contents.content(of: object)
            return BodyAnswer(
                code: .ok,
                parameters: [
                    UInt32(truncatingIfNeeded: dataTime), UInt32(truncatingIfNeeded: dataTime >> 32),
                ],
                data: .content(content, offset..<end))
        } catch {
            complaints.append("\(object.name): \(error)")
            return .refusal(.generalError)
        }
    }
}
