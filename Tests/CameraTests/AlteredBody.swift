import PTP
import Simulator

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
