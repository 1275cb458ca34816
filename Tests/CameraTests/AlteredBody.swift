import PTP
import Simulator
import Testing

/// A model that answers some operations otherwise than it would.
struct AlteredPersonality: Personality {
    typealias Change = @Sendable (Responder.Operation, BodyAnswer) -> BodyAnswer

    let model: any Personality
    let change: Change

    func framing() -> any Framing { model.framing() }

    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        model.greeting(settings, faults)
    }

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        AlteredBody(body: model.body(settings, &faults), change: change)
    }
}

extension BodyAnswer {
    /// With another DeviceInfo, where that is what it is.
    func listing(_ change: (inout DeviceInfo) -> Void) -> BodyAnswer {
        guard case .bytes(let bytes) = data else { return self }
        var answer = self
        do throws(Malformed) {
            var info = try DeviceInfo(decoding: bytes[...])
            change(&info)
            answer.data = .bytes(info.encoded)
        } catch {
            Issue.record(error)
        }
        return answer
    }
}

private struct AlteredBody: CameraBody {
    var body: any CameraBody
    let change: AlteredPersonality.Change

    var operations: OperationTable { body.operations }
    var photos: [CardPhoto] { body.photos }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
        body.connected(isFirst: isFirst, &faults)
    }
    mutating func sessionAsked(by code: OperationCode, _ parameters: [UInt32], _ faults: inout Faults) {
        body.sessionAsked(by: code, parameters, &faults)
    }
    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        change(operation, body.perform(operation, &faults, at: now))
    }
    mutating func delivered() { body.delivered() }
    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot { body.shoot(&faults, at: now) }
    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { body.noticesOfSession() }
    mutating func takeComplaints() -> [String] { body.takeComplaints() }
    mutating func switchedOff(_ faults: Faults) { body.switchedOff(faults) }
    mutating func pullCard() -> [EventPacket]? { body.pullCard() }
    mutating func insertCard() -> [EventPacket]? { body.insertCard() }
}
