import PTP

/// What a computer may set on a Canon, and what it may have it do.
extension CanonBody {
    /// "u32 12, u32 property, u32 value".
    mutating func setProperty(_ data: [UInt8]) -> BodyAnswer {
        var reader = ByteReader(data)
        do throws(ReadFailure) {
            let length: UInt32 = try reader.integer("length")
            let code: UInt32 = try reader.integer("property")
            let value: UInt32 = try reader.integer("value")
            guard length == 12 else { return .refusal(.invalidDevicePropFormat) }
            if code == CanonDestination.property {
                destination = CanonDestination(rawValue: value)
                complaints.append("destination \(value)")
            }
            tell(CanonRecords.property(code, value))
            return BodyAnswer(code: .ok)
        } catch {
            return .refusal(.invalidDevicePropFormat)
        }
    }

    /// Half pressed is 1, pressed through is 2, both at once are 3.
    mutating func release(
        _ button: UInt32, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard button & 2 != 0 else { return BodyAnswer(code: .ok, parameters: [0]) }
        let shot = shoot(&faults, at: now)
        isLocked = faults.take(.canonLocks) != nil
        var answer = BodyAnswer(shot, orElse: .deviceBusy)
        if shot.isTaken { answer.parameters = [0] }
        return answer
    }

    /// "Storage, handle (0xFFFFFFFF is the root)."
    func list(_ parameters: [UInt32]) -> BodyAnswer {
        guard plain.isCardIn else { return .refusal(.storeNotAvailable) }
        let storage = StorageID(rawValue: parameters.first ?? 0)
        let parent = parameters.dropFirst().first ?? 0
        let handles = plain.card.handles(storage: storage, format: 0, parent: parent == 0 ? .max : parent)
        return .dataset(
            CanonRecords.list(handles.filter { !onlyWaiting.contains($0) }.compactMap { plain.card[$0] }))
    }
}
