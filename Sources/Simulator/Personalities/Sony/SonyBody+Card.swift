import PTP

/// The modes in which a Sony shows its card.
extension SonyBody {
    // MARK: Send to Computer

    /// Without the start the body shows "Connecting…" and answers nothing about files.
    mutating func sendToComputer(_ operation: Responder.Operation) -> BodyAnswer {
        guard operation.parameters.first == SonySendToComputer.parameter else {
            return .refusal(.invalidParameter)
        }
        if operation.code == .sonySendToComputerStatus { return .dataset([UInt8](repeating: 0, count: 4)) }
        switch SonySendingWord(operation.data) {
        case .start: stage = .card
        case .end:
            stage = .greeting(0)
            complaints.append("Send to Computer is over, the camera may switch itself off")
        // Nothing was seen to come of them but a sentence on the screen.
        case .progress, .cancelled: break
        case nil: return .refusal(.invalidParameter)
        }
        return BodyAnswer(code: .ok)
    }

    // MARK: Content transfer

    /// "0x1002 or 0x9210 (id, mode): one or the other"; mode 0 is remote, 1 content transfer, 2 both.
    mutating func sessionAsked(
        by code: OperationCode, _ parameters: [UInt32], _ faults: inout Faults
    ) {
        transfersNow = code == .sonyOpenSession && parameters.count > 1 && parameters[1] > 0
    }

    /// "0x9212: by camera or by remote, on or off, 0", in a session for content transfer.
    mutating func transfer(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard operation.code == .sonySetTransferMode else { return onCard(operation, &faults, at: now) }
        guard transfersNow, operation.parameters.count >= 2 else { return .refusal(.invalidParameter) }
        guard operation.parameters[1] == 1 else {
            stage = .remote
            return BodyAnswer(code: .ok)
        }
        stage = .card
        transferAskedAt = now
        let stores = card.card.storages.map {
            EventPacket(code: .storeAdded, parameters: [$0.rawValue])
        }
        return BodyAnswer(code: .ok, notices: stores)
    }

    /// "Then wait for StoreAdded and property 0xD295 = 1."
    func showsCard(_ faults: Faults, at now: Duration) -> Bool {
        guard stage == .card else { return false }
        guard let late = faults.first(.sonyLateCard)?.duration("for"), let transferAskedAt else {
            return true
        }
        return now - transferAskedAt >= late
    }

    /// "0xFFFFFFFF is not accepted as a storage, and all three parameters are required."
    mutating func onCard(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard showsCard(faults, at: now) else {
            complaints.append("\(operation.code) was asked for before its card was ready")
            return .refusal(.storeNotAvailable)
        }
        switch operation.code {
        case .getNumObjects, .getObjectHandles:
            guard operation.parameters.count >= 3 else { return .refusal(.invalidParameter) }
            guard sendsToComputer || operation.parameters[0] != StorageID.all.rawValue else {
                return .refusal(.invalidStorageID)
            }
        case .getPartialObject where !sendsToComputer:
            // "ILCE-7CM2: 0x101B is answered with 0x2009."
            return .refusal(.invalidObjectHandle)
        case .sonyPartialLargeObject:
            guard operation.parameters.count >= 4, operation.parameters[3] != .max else {
                return .refusal(.invalidParameter)
            }
            return card.perform(operation.as(.getPartialObject64), &faults, at: now)
        default: break
        }
        return card.perform(operation, &faults, at: now)
    }
}

/// What clients are known to tell a body in Send to Computer with 0x9280, byte for byte.
private enum SonySendingWord {
    case start
    /// Of unknown meaning; Sony's own program says it behind the start.
    case progress
    /// "The saving process has been cancelled."
    case cancelled
    case end

    init?(_ data: [UInt8]) {
        switch data {
        case SonySendToComputer.start: self = .start
        case SonySendToComputer.end: self = .end
        // As airmtp recorded it of Sony's Auto Import: {u32 2, 2, 0, 0, 0x00020001, u8 0} for the start, and
        // {u32 0, what, 0, 0, u8 2, 0, 0x30 or 0} for the others.
        case Self.words(2, 2) + [1, 0, 2, 0, 0]: self = .start
        case Self.words(0, 3) + [2, 0, 0x30]: self = .progress
        case Self.words(0, 4) + [2, 0, 0]: self = .cancelled
        case Self.words(0, 5) + [2, 0, 0x30]: self = .end
        default: return nil
        }
    }

    private static func words(_ first: UInt8, _ second: UInt8) -> [UInt8] {
        [first, 0, 0, 0, second, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    }
}
