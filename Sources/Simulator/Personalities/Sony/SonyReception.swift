import PTP

/// Whom a Sony lets in, and how often.
struct SonyReception: Greeting {
    private var standard: StandardGreeting
    /// Those whose name was shown and confirmed, where it asks a person at all.
    private var known: [GUID] = []
    private let pairing: (ok: Duration, most: Int)?
    private let servesOnce: Bool
    private var hasServed = false

    init(_ standard: StandardGreeting, _ faults: Faults) {
        self.standard = standard
        pairing = faults.first(.sonyPairing).map { rule in
            (rule.duration("ok") ?? .zero, Int(rule.number("most") ?? 20))
        }
        servesOnce = faults.has(.sonySendToComputer) && faults.has(.sonyOneSession)
    }

    func conduct() -> Responder.Settings { standard.conduct() }

    mutating func identity(_ faults: inout Faults) -> InitCommandAck { standard.identity(&faults) }

    mutating func admission(of request: InitCommandRequest, _ faults: inout Faults) -> Admission {
        let usual = standard.admission(of: request, &faults)
        guard usual == .now else { return usual }
        // "A second session gets TCP accepted but Init unanswered."
        if servesOnce, hasServed { return .unanswered }
        hasServed = true
        guard let pairing, !known.contains(request.guid) else { return .now }
        // "The GUID is remembered, max 20."
        guard known.count < pairing.most else { return .refused(.rejectedInitiator) }
        known.append(request.guid)
        return .after(pairing.ok)
    }

    /// A person has chosen Send to Computer again.
    mutating func switchedOn() { hasServed = false }
}
