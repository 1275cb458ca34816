/// Whether an interface is up, and whether what goes over it costs by the byte.
extension NetworkMap {
    func reasonForDown(_ facts: InterfaceFacts) -> String? {
        guard facts.isTurnedOn else { return "\(facts.name) is turned off" }
        switch facts.state {
        // Loopback and most tunnels never say more than that they do not know.
        case .unknown, .up: break
        case .notPresent: return "\(facts.name) is not there any more"
        case .down, .lowerLayerDown: return "\(facts.name) is down"
        case .testing: return "\(facts.name) is being tested"
        case .dormant: return "\(facts.name) waits to be let in"
        }
        return facts.hasCarrier == false ? "\(facts.name) is connected to nothing" : nil
    }

    /// The operator's word on any of the chain, from the top down, then NetworkManager's.
    func metered(_ chain: [InterfaceFacts]) -> NetworkPath.Metered? {
        for facts in chain {
            let ssid = facts.managed?.ssid ?? facts.ssid
            guard let (isMetered, what) = settings.word(facts.name, ssid: ssid, \.isMetered) else { continue }
            let word = isMetered ? "metered" : "not metered"
            return NetworkPath.Metered(isMetered, because: "\(what) is \(word) by the settings")
        }
        let words = chain.compactMap { facts in facts.managed.flatMap { said(of: facts.name, $0.metered) } }
        return words.first(where: \.isMetered) ?? words.first
    }

    private func said(of name: String, _ metered: ManagedFacts.Metered) -> NetworkPath.Metered? {
        switch metered {
        case .unknown: nil
        case .yes: .init(true, because: "\(name) is metered, says NetworkManager")
        case .guessedYes: .init(true, because: "\(name) seems to be metered, says NetworkManager")
        case .no: .init(false, because: "\(name) is not metered, says NetworkManager")
        case .guessedNo: .init(false, because: "\(name) does not seem to be metered, says NetworkManager")
        }
    }

    /// A tunnel that may run over something metered is taken to: money that was spent does not come back.
    func meteredByDoubt(_ below: Below) -> NetworkPath.Metered? {
        for facts in below.candidateFacts {
            guard let metered = metered([facts]), metered.isMetered else { continue }
            return NetworkPath.Metered(
                true, because: "it may be carried by \(facts.name), and \(metered.because)")
        }
        return nil
    }
}
