import Basics
import PTP
import Posix

extension SimulatedCamera {
    /// Begins what is to pour from now on: with an operation, or, where none is given, with the session.
    func startFloods(with code: OperationCode?, object: ObjectHandle?) {
        let rules = faults.takeAll(.flood, object: object, operation: code) { rule in
            code == nil ? !rule.beginsWithOperation : rule.beginsWithOperation && !rule.isFloodInsteadOfData
        }
        for rule in rules {
            let link = rule.floodChannel == .command ? machine.commandLink : machine.eventLink
            guard let line = link.flatMap({ lines[$0] }), let flood = rule.flood(at: time.now) else {
                continue
            }
            log("pouring \(flood.kind.rawValue) without end")
            let isFirst = floods[line.id] == nil
            floods[line.id, default: []].append(flood)
            if isFirst {
                later { camera in await camera.pump(line) }
            }
        }
    }

    /// Hands what pours to the link's writer, piece by piece and never more than one ahead of what the client takes, so
    /// that answers and other links have their turn.
    private func pump(_ line: GuestLine) async {
        while true {
            // Out of range nothing is taken, and so nothing is said.
            await line.hearing.pass()
            guard let floods = floods[line.id], !Task.isCancelled else { return }
            let now = time.now
            guard let next = floods.compactMap({ $0.nextDue(at: now) }).min() else { break }
            guard next <= now else {
                if await pause(next - now) { continue }
                return
            }
            var bytes: [UInt8] = []
            for index in floods.indices {
                let packets = self.floods[line.id]?[index].packets(at: now, during: lastTransaction) ?? []
                for packet in packets { bytes += line.encode(packet) }
            }
            line.outbox.post(.packet(bytes))
            line.outbox.post(.mark)
            await line.drained.waitUnlessCancelled()
        }
        floods[line.id] = nil
    }

    /// Frames on the event link that are whole and hold what no camera should say.
    func tellOddly() {
        guard let line = machine.eventLink.flatMap({ lines[$0] }) else { return }
        if let length = faults.take(.oddEvents)?.number("bytes") {
            let content =
                [0xFF, 0xC1, 0xFF, 0xFF, 0xFF, 0xFF] + (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            let body = content.prefix(max(0, Int(length) - PacketType.headerLength))
            line.outbox.post(.packet(line.oddFrame(type: PacketType.event.rawValue, Array(body))))
        }
        if faults.take(.unknownPackets) != nil {
            line.outbox.post(.packet(line.oddFrame(type: DataJob.unknownPacketType)))
        }
    }
}
