import PTP

/// The faults that are still to come: what the simulated camera asks before it does anything.
package struct Faults: Sendable {
    private struct Pending: Sendable {
        let rule: FaultRule
        var timesLeft: UInt64?
        var skipsLeft: UInt64
    }

    private var pending: [Pending]
    private var random: Mixer

    init(_ script: FaultScript, seed: UInt64) {
        random = Mixer(seed)
        pending = script.rules.map {
            Pending(rule: $0, timesLeft: $0.number("times"), skipsLeft: $0.number("skip") ?? 0)
        }
    }

    /// The rule that applies now, if one does; it is used up by that.
    mutating func take(
        _ name: FaultSwitch, object: ObjectHandle? = nil, operation: OperationCode? = nil,
        where isMeant: (FaultRule) -> Bool = { _ in true }
    ) -> FaultRule? {
        for position in pending.indices where applies(pending[position], name, object, operation) {
            if isMeant(pending[position].rule), let rule = draw(position) { return rule }
        }
        return nil
    }

    /// All the rules that apply now, each of them once.
    mutating func takeAll(
        _ name: FaultSwitch, object: ObjectHandle? = nil, operation: OperationCode? = nil,
        where isMeant: (FaultRule) -> Bool = { _ in true }
    ) -> [FaultRule] {
        pending.indices.compactMap { position in
            guard applies(pending[position], name, object, operation), isMeant(pending[position].rule) else {
                return nil
            }
            return draw(position)
        }
    }

    /// Whether a rule that would apply does, this time.
    private mutating func draw(_ position: Int) -> FaultRule? {
        if pending[position].skipsLeft > 0 {
            pending[position].skipsLeft -= 1
            return nil
        }
        let rule = pending[position].rule
        if let chance = rule.number("chance"), chance < 100,
            UInt64.random(in: 0..<100, using: &random) >= chance
        {
            return nil
        }
        if let left = pending[position].timesLeft { pending[position].timesLeft = left - 1 }
        return rule
    }

    /// Looks without using anything up.
    func has(_ name: FaultSwitch) -> Bool {
        pending.contains { $0.rule.name == name && $0.timesLeft != 0 }
    }

    func first(_ name: FaultSwitch) -> FaultRule? {
        pending.first { $0.rule.name == name && $0.timesLeft != 0 }?.rule
    }

    private func applies(
        _ candidate: Pending, _ name: FaultSwitch, _ object: ObjectHandle?, _ operation: OperationCode?
    ) -> Bool {
        let rule = candidate.rule
        guard rule.name == name, candidate.timesLeft != 0 else { return false }
        if let wanted = rule.number("object"), object.map({ UInt64($0.rawValue) != wanted }) ?? true {
            return false
        }
        // For `poison` the operation is the setting itself, not a filter.
        if name != .poison, let wanted = rule.number("operation"),
            operation.map({ UInt64($0.rawValue) != wanted }) ?? true
        {
            return false
        }
        return true
    }
}
