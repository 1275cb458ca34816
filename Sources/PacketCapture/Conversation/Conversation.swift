public import PTP

/// One PTP/IP conversation out of a capture: both connections, in order of time.
public struct Conversation: Sendable {
    public struct Entry: Sendable {
        public enum Content: Sendable {
            case packet(Packet)
            /// A packet that is not as the standard has it. What could be understood of it is the next entry.
            case odd(OddPacket)
            /// What could not be read, and why; nothing follows from that side on that connection.
            case broken(String)
        }

        public let content: Content
        /// Of Data and End Data.
        public let payload: StoredBytes?
        public let channel: Channel
        public let fromCamera: Bool
        public let time: CaptureTime
        /// The frame of the capture, counted from 1.
        public let frame: Int
    }

    public let entries: [Entry]

    /// Finds the connections that speak PTP/IP by their first packets, on any port, and puts pairs together.
    static func all(in flows: [Flow]) -> [Conversation] {
        var unpaired = flows.filter { $0.sender { $0.type == .initEventRequest } != nil }
        let commands = flows.filter { $0.sender { $0.type == .initCommandRequest } != nil }
        return commands.enumerated().map { index, command in
            var entries = Conversation.entries(of: command, .command) { $0.type == .initCommandRequest }
            // The next command connection between the same hosts ends this one's claim.
            let next =
                commands.dropFirst(index + 1).first { hosts(of: $0) == hosts(of: command) }?.order ?? .max
            let position = unpaired.firstIndex { event in
                event.order > command.order && event.order < next && hosts(of: event) == hosts(of: command)
            }
            if let position {
                entries += Conversation.entries(of: unpaired.remove(at: position), .event) {
                    $0.type == .initEventRequest
                }
            }
            return Conversation(
                entries: entries.sorted { ($0.time, $0.frame) < ($1.time, $1.frame) })
        }
    }

    private static func hosts(of flow: Flow) -> Set<[UInt8]> {
        [flow.ends.0.address, flow.ends.1.address]
    }

    private static func entries(
        of flow: Flow, _ channel: Channel, _ isFirst: (Packet) -> Bool
    ) -> [Entry] {
        let initiator = flow.sender(ofFirst: isFirst) ?? 0
        func entries(_ direction: FlowDirection, fromCamera: Bool) -> [Entry] {
            direction.entries.map { entry in
                let content: Entry.Content =
                    switch entry.content {
                    case .packet(let packet): .packet(packet)
                    case .odd(let packet): .odd(packet)
                    case .broken(let reason): .broken(reason)
                    }
                return Entry(
                    content: content, payload: entry.payload, channel: channel, fromCamera: fromCamera,
                    time: entry.time, frame: entry.frame)
            }
        }
        return entries(flow.directions.0, fromCamera: initiator == 1)
            + entries(flow.directions.1, fromCamera: initiator == 0)
    }
}
