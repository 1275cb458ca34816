public import PTP

/// A conversation as questions and answers: what a replay needs.
public struct Recording: Sendable {
    public struct Transaction: Sendable {
        public internal(set) var request: OperationRequest
        public internal(set) var dataFromInitiator: StoredBytes?
        /// What Start Data of the camera promised, whatever came.
        public internal(set) var announced: UInt64?
        public internal(set) var data: StoredBytes?
        /// The payload lengths of the camera's data packets, in order.
        public internal(set) var packetLengths: [UInt32] = []
        /// Nothing where the capture ends, or breaks, before it.
        public internal(set) var response: OperationResponse?
        public let time: CaptureTime
    }

    public struct RecordedNotice: Sendable {
        public let notice: EventPacket
        /// After the session was opened, or after the connection stood where none was.
        public let after: Duration
    }

    public private(set) var ack: InitCommandAck?
    public private(set) var refusal: InitFailReason?
    public private(set) var transactions: [Transaction] = []
    public private(set) var notices: [RecordedNotice] = []

    public init(_ conversation: Conversation) {
        var openedAt: CaptureTime?
        var pendingNotices: [(EventPacket, CaptureTime)] = []
        for entry in conversation.entries {
            guard case .packet(let packet) = entry.content else { continue }
            if case .event(let notice) = packet, entry.fromCamera {
                pendingNotices.append((notice, entry.time))
                continue
            }
            take(packet, entry)
            if openedAt == nil, case .operationResponse = packet,
                transactions.last?.request.code == .openSession
            {
                openedAt = entry.time
            }
        }
        let start = openedAt ?? conversation.entries.first?.time ?? CaptureTime(microseconds: 0)
        notices = pendingNotices.map { notice, time in
            RecordedNotice(notice: notice, after: max(.zero, time.since(start)))
        }
    }

    /// Files what was said under the request that was open when it was said. The order is trusted, not the ids:
    /// captures that people have edited begin to count anew in the middle.
    private mutating func take(_ packet: Packet, _ entry: Conversation.Entry) {
        switch (packet, entry.fromCamera) {
        case (.initCommandAck(let ack), true):
            self.ack = self.ack ?? ack
        case (.initFail(let reason), true):
            refusal = refusal ?? reason
        case (.operationRequest(let request), false):
            transactions.append(Transaction(request: request, time: entry.time))
        case (.startData(let start), true):
            withOpen { transaction in
                transaction.announced = start.totalLength
                transaction.data = transaction.data ?? StoredBytes()
            }
        case (.data, _), (.endData, _):
            withOpen { transaction in
                guard let payload = entry.payload else { return }
                if entry.fromCamera {
                    transaction.data = transaction.data ?? StoredBytes()
                    transaction.data?.append(payload)
                    transaction.packetLengths.append(UInt32(clamping: payload.length))
                } else {
                    transaction.dataFromInitiator = transaction.dataFromInitiator ?? StoredBytes()
                    transaction.dataFromInitiator?.append(payload)
                }
            }
        case (.operationResponse(let response), true):
            withOpen { $0.response = response }
        default:
            break
        }
    }

    private mutating func withOpen(_ body: (inout Transaction) -> Void) {
        guard let last = transactions.indices.last, transactions[last].response == nil else { return }
        body(&transactions[last])
    }
}
