import Basics
import PTP

/// A conversation as text: one line a packet, and the datasets below the data that carried them.
public struct Explainer {
    private let start: CaptureTime
    private var vendor: Vendor?
    /// The operation under way on the command connection, and its data so far.
    private var operation: OperationRequest?
    private var data = StoredBytes()

    /// Datasets longer than this are not printed.
    private static let longestDataset: UInt64 = 64 << 10

    public init(_ conversation: Conversation) {
        start = conversation.entries.first?.time ?? CaptureTime(microseconds: 0)
    }

    /// The line for one entry, and indented ones for a dataset that it completes.
    public mutating func lines(for entry: Conversation.Entry) -> [String] {
        let arrow = entry.fromCamera ? "<-" : "->"
        let head = "\(timestamp(entry.time))  \(entry.channel == .command ? "cmd" : "evt") \(arrow) "
        let lines: [String]
        switch entry.content {
        case .broken(let reason):
            lines = [head + "BROKEN: \(reason)"]
        case .odd(let packet):
            lines = [head + "ODD: \(packet)"]
        case .packet(let packet):
            let more = follow(packet, entry)
            lines = [head + text(packet, entry)] + more.map { "                          " + $0 }
        }
        // A camera's texts stand in them, and a terminal is to show them.
        return lines.map { Visible($0).description }
    }

    /// Seconds and milliseconds since the conversation began.
    private func timestamp(_ time: CaptureTime) -> String {
        let milliseconds = max(0, (time.microseconds - start.microseconds) / 1000)
        let fraction = String(milliseconds % 1000)
        let text = "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }

    private func text(_ packet: Packet, _ entry: Conversation.Entry) -> String {
        func codes(_ parameters: [UInt32]) -> String {
            parameters.isEmpty ? "" : " (" + parameters.map { Hex.code($0) }.joined(separator: ", ") + ")"
        }
        func payload(_ header: PayloadHeader) -> String {
            let missing = entry.payload?.missing ?? 0
            return "\(header.length) bytes, transaction \(header.transaction)"
                + (missing > 0 ? ", \(missing) of them not in the capture" : "")
        }
        switch packet {
        case .initCommandRequest(let request):
            return "Init Command Request: \"\(request.name)\" \(request.guid)\(version(request.version))"
        case .initCommandAck(let ack):
            return
                "Init Command Ack: connection \(ack.connectionNumber), \"\(ack.name)\" \(ack.guid)\(version(ack.version))"
        case .initEventRequest(let number): return "Init Event Request: connection \(number)"
        case .initEventAck: return "Init Event Ack"
        case .initFail(let reason): return "Init Fail: \(reason)"
        case .operationRequest(let request):
            return
                "Request \(request.code.described(for: vendor))\(codes(request.parameters)), transaction \(request.transaction)"
        case .operationResponse(let response):
            return
                "Response \(response.code.described(for: vendor))\(codes(response.parameters)), transaction \(response.transaction)"
        case .event(let event):
            return "Event \(event.code.described(for: vendor))\(codes(event.parameters))"
        case .startData(let start):
            let total = start.knownLength.map { "\($0) bytes" } ?? "an unknown length"
            return "Start Data: \(total), transaction \(start.transaction)"
        case .data(let header): return "Data: \(payload(header))"
        case .endData(let header): return "End Data: \(payload(header))"
        case .cancel(let transaction): return "Cancel: transaction \(transaction)"
        case .probeRequest: return "Probe Request"
        case .probeResponse: return "Probe Response"
        }
    }

    private func version(_ version: ProtocolVersion?) -> String {
        version.map { ", version \($0)" } ?? ", no version"
    }

    /// Gathers the camera's data and reads it when it is complete.
    private mutating func follow(_ packet: Packet, _ entry: Conversation.Entry) -> [String] {
        switch packet {
        case .operationRequest(let request):
            operation = request
            data = StoredBytes()
            return []
        case .data, .endData:
            guard entry.fromCamera, let payload = entry.payload else { return [] }
            data.append(payload)
            return []
        case .operationResponse:
            defer { operation = nil }
            guard let operation, data.length > 0, data.isComplete, data.length <= Self.longestDataset else {
                return []
            }
            do {
                let bytes = try data.bytes()
                if operation.code == .getDeviceInfo { learnVendor(bytes) }
                return DatasetPrinter.lines(
                    for: operation.code, operation.parameters, vendor: vendor, data: bytes)
            } catch {
                return ["the data cannot be read back: \(error)"]
            }
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail, .event,
            .startData, .cancel, .probeRequest, .probeResponse:
            return []
        }
    }

    /// From here on vendor codes have names.
    private mutating func learnVendor(_ bytes: [UInt8]) {
        do throws(Malformed) {
            vendor = try DeviceInfo(decoding: bytes[...]).vendor
        } catch {
            vendor = nil
        }
    }
}
