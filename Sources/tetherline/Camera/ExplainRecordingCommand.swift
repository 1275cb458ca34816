import Arguments
import Basics
import PacketCapture
import Posix

/// `camera explain`: a recorded conversation as text.
struct ExplainRecordingCommand {
    private let path: String
    private let isJSON: Bool

    init(_ invocation: Invocation) {
        path = invocation.positionals[0]
        isJSON = invocation.has("json")
    }

    func run() throws -> ExitCode {
        let contents = try PcapFile.conversations(in: path)
        for (number, conversation) in contents.conversations.enumerated() {
            if contents.conversations.count > 1, !isJSON { printOutput("conversation \(number + 1)") }
            var explainer = Explainer(conversation)
            for entry in conversation.entries {
                for line in explainer.lines(for: entry) {
                    let value: JSONValue = [
                        "conversation": .integer(Int64(number + 1)), "text": .string(line),
                    ]
                    printOutput(isJSON ? value.compact : line)
                }
            }
        }
        if !contents.skippedText.isEmpty { printError("frames that were of no use: \(contents.skippedText)") }
        if let damage = contents.damage {
            printError("the end of \(path) is damaged: \(damage)")
            return .data
        }
        guard !contents.conversations.isEmpty else {
            printError(
                "\(path) holds no conversation with a camera: no connection in it begins with a PTP/IP Init packet."
            )
            return .data
        }
        return .success
    }
}
