// example
import PTP
import PacketCapture

/// What was asked of the cameras in a capture, and what they answered.
func dialogue(in path: String) throws -> [String] {
    try PcapFile.conversations(in: path).conversations.flatMap { conversation in
        Recording(conversation).transactions.map { transaction in
            "\(transaction.request.code): \(transaction.response.map { "\($0.code)" } ?? "nothing")"
        }
    }
}
// end
