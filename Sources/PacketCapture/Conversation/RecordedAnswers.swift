public import PTP

/// Finds what a recording holds for a question, in whatever order questions come.
public struct RecordedAnswers: Sendable {
    public enum Finding: Sendable {
        case found(Answer)
        /// The recorded client never asked that.
        case neverAsked
        /// The recorder left the photo out, or the capture lost a part of it.
        case withoutBytes(missing: UInt64, isLeftOut: Bool)
        /// It was asked, and the capture holds no response.
        case unanswered
    }

    public struct Answer: Sendable {
        public let response: OperationResponse
        /// Nothing where the camera sent no data.
        public let data: StoredBytes?
        /// The part of the data that was asked for.
        public let range: Range<UInt64>
        public let announced: UInt64?
        public let packetLengths: [UInt32]
    }

    private struct Question: Hashable {
        let code: OperationCode
        let parameters: [UInt32]

        init(_ code: OperationCode, _ parameters: [UInt32]) {
            self.code = code
            // Some clients send five parameters where others send as many as there are.
            self.parameters = Array(parameters.reversed().drop { $0 == 0 }.reversed())
        }
    }

    private var recorded: [Question: [Recording.Transaction]] = [:]
    /// How often each question was answered already: the same question gets its recorded answers in turn.
    private var asked: [Question: Int] = [:]

    public init(_ recording: Recording) {
        for transaction in recording.transactions {
            recorded[Question(transaction.request.code, transaction.request.parameters), default: []]
                .append(transaction)
        }
    }

    public mutating func answer(_ code: OperationCode, _ parameters: [UInt32]) -> Finding {
        let question = Question(code, parameters)
        if let transactions = recorded[question] {
            let turn = asked[question, default: 0]
            asked[question] = turn + 1
            return finding(transactions[min(turn, transactions.count - 1)])
        }
        switch code {
        case .getPartialObject: return part(parameters)
        case .getObject: return whole(parameters)
        default: return .neverAsked
        }
    }

    private func finding(_ transaction: Recording.Transaction) -> Finding {
        guard let response = transaction.response else { return .unanswered }
        if let data = transaction.data, !data.isComplete {
            return .withoutBytes(missing: data.missing, isLeftOut: data.isLeftOut)
        }
        return .found(
            Answer(
                response: response, data: transaction.data, range: 0..<(transaction.data?.length ?? 0),
                announced: transaction.announced, packetLengths: transaction.packetLengths))
    }

    /// A part of an object that was recorded whole, or in other parts.
    private func part(_ parameters: [UInt32]) -> Finding {
        guard parameters.count >= 3, let object = wholeObject(ObjectHandle(rawValue: parameters[0])) else {
            return .neverAsked
        }
        guard object.isComplete else {
            return .withoutBytes(missing: object.missing, isLeftOut: object.isLeftOut)
        }
        let start = min(UInt64(parameters[1]), object.length)
        let end = parameters[2] == .max ? object.length : min(object.length, start + UInt64(parameters[2]))
        let response = OperationResponse(
            code: .ok, transaction: .outsideSession, parameters: [UInt32(truncatingIfNeeded: end - start)])
        return .found(
            Answer(response: response, data: object, range: start..<end, announced: nil, packetLengths: []))
    }

    /// An object that was recorded in parts that touch.
    private func whole(_ parameters: [UInt32]) -> Finding {
        guard let handle = parameters.first, let object = wholeObject(ObjectHandle(rawValue: handle)) else {
            return .neverAsked
        }
        guard object.isComplete else {
            return .withoutBytes(missing: object.missing, isLeftOut: object.isLeftOut)
        }
        let response = OperationResponse(code: .ok, transaction: .outsideSession)
        return .found(
            Answer(
                response: response, data: object, range: 0..<object.length, announced: nil, packetLengths: [])
        )
    }

    private func wholeObject(_ handle: ObjectHandle) -> StoredBytes? {
        if let transaction = recorded[Question(.getObject, [handle.rawValue])]?.last(where: {
            $0.response?.code == .ok
        }),
            let data = transaction.data
        {
            return data
        }
        return joinedParts(of: handle)
    }

    /// Partial reads put together, as far as they reach from the beginning without a hole; only when they reach
    /// the size that ObjectInfo told.
    private func joinedParts(of handle: ObjectHandle) -> StoredBytes? {
        let parts = recorded.filter {
            $0.key.code == .getPartialObject && $0.key.parameters.first == handle.rawValue
        }
        .flatMap(\.value).filter { $0.response?.code == .ok }
        .sorted { Self.offset(of: $0) < Self.offset(of: $1) }
        guard let size = size(of: handle) else { return nil }
        var object = StoredBytes()
        for part in parts where Self.offset(of: part) == object.length {
            if let data = part.data { object.append(data) }
        }
        return object.length == size ? object : nil
    }

    private static func offset(of transaction: Recording.Transaction) -> UInt64 {
        transaction.request.parameters.count > 1 ? UInt64(transaction.request.parameters[1]) : 0
    }

    private func size(of handle: ObjectHandle) -> UInt64? {
        guard let data = recorded[Question(.getObjectInfo, [handle.rawValue])]?.last?.data else { return nil }
        do {
            let bytes = try data.bytes(upTo: DatasetLimits.objectInfoBytes)
            return UInt64(try ObjectInfo(decoding: bytes[...]).compressedSize)
        } catch {
            // An ObjectInfo that cannot be read tells no size.
            return nil
        }
    }
}
