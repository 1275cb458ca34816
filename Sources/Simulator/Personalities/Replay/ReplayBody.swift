import PTP
import PacketCapture

/// A camera that answers with what a recording holds.
struct ReplayBody: CameraBody {
    private var answers: RecordedAnswers
    private let notices: [Recording.RecordedNotice]
    private var complaints: [String] = []
    private var hasTold = false
    let operations: OperationTable

    init(_ recording: Recording) {
        var operations = OperationTable.standard
        for transaction in recording.transactions where transaction.dataFromInitiator != nil {
            operations.withOutgoingData.insert(transaction.request.code)
        }
        self.operations = operations
        answers = RecordedAnswers(recording)
        notices = recording.notices
    }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {}

    mutating func delivered() {}

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot { Shot() }

    /// As long after the session was opened as it was then; once, because what they tell of happens once.
    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] {
        guard !hasTold else { return [] }
        hasTold = true
        return notices.map { ($0.after, $0.notice) }
    }

    mutating func takeComplaints() -> [String] {
        defer { complaints = [] }
        return complaints
    }

    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        let question =
            "\(operation.code) (\(operation.parameters.map { Hex.code($0) }.joined(separator: ", ")))"
        switch answers.answer(operation.code, operation.parameters) {
        case .found(let answer):
            return replayed(answer)
        case .neverAsked:
            complaints.append(
                "\(question) was not asked while this was recorded; answering Operation_Not_Supported")
            return .refusal(.operationNotSupported)
        case .withoutBytes(let missing, let isLeftOut):
            let why = isLeftOut ? "it was recorded without photos" : "the capture lost them"
            complaints.append(
                "\(question): \(missing) bytes are not in the recording (\(why)); answering Incomplete_Transfer"
            )
            return .refusal(.incompleteTransfer)
        case .unanswered:
            complaints.append("\(question) has no response in the recording; answering General_Error")
            return .refusal(.generalError)
        }
    }

    private func replayed(_ recorded: RecordedAnswers.Answer) -> BodyAnswer {
        var answer = BodyAnswer(code: recorded.response.code, parameters: recorded.response.parameters)
        guard let data = recorded.data else { return answer }
        answer.data = .content(StoredContent(bytes: data), recorded.range)
        answer.announced = recorded.announced
        answer.packets = Packetisation(like: recorded.packetLengths)
        return answer
    }
}

/// Bytes out of a recording as an object.
struct StoredContent: ObjectContent {
    let bytes: StoredBytes

    var length: UInt64 { bytes.length }

    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        try bytes.fill(memory, at: offset)
    }
}
