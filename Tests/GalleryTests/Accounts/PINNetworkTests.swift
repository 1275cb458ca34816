import Testing

@testable import Gallery

/// A client with many addresses that guesses at one PIN.
@Suite struct PINNetworkTests {
    private func isLooked(_ verdict: PINLimits.Verdict) -> PINLimits.Attempt? {
        if case .look(let attempt) = verdict { attempt } else { nil }
    }

    /// How many of a day's tries are looked at that come from so many addresses in turn, with a fresh cookie each and without.
    private func looked(
        _ limits: inout PINLimits, from addresses: [PeerKey], tries: Int, device: String? = nil,
        event: String = "e"
    ) -> Int {
        (0..<tries).count { number in
            let now = Duration.milliseconds(number)
            let device = device.map { "\($0) \(number)" }
            let address = addresses[number % addresses.count]
            return isLooked(limits.begin(device: device, address: address, event: event, at: now)) != nil
        }
    }

    @Test("all addresses of an IPv6 customer together have a day's tries, with cookies and without")
    func customer() {
        for device in [nil, "d"] {
            var limits = PINLimits()
            // 256 networks of 64 bits are one of 56.
            let customer = (0..<256).map { PeerKey("2001:db8:1:\(String($0, radix: 16))::1") }
            #expect(looked(&limits, from: customer, tries: 12_000, device: device) == 10_000)
            let neighbour = PeerKey("2001:db8:1:100::1")
            #expect(
                isLooked(limits.begin(device: "n", address: neighbour, event: "e", at: .seconds(20))) != nil)
        }
    }

    @Test("a customer with 65,536 networks has twice as many, and another is none the worse")
    func largeCustomer() {
        var limits = PINLimits()
        let customer = (0..<4096).map { PeerKey("2001:db8:1:\(String($0 * 16, radix: 16))::1") }
        #expect(looked(&limits, from: customer, tries: 24_000, device: "d") == 20_000)
        let other = PeerKey("2001:db8:2::1")
        #expect(isLooked(limits.begin(device: "o", address: other, event: "e", at: .seconds(30))) != nil)
        var fresh = PINLimits()
        let given = customer.indices.count { index in
            (0..<2).allSatisfy { _ in fresh.mayIntroduceDevice(to: customer[index], at: .zero) }
        }
        #expect(given == 2000)
    }

    @Test(
        "an event has 10,000 wrong tries a day without a cookie, from all the world; with one, guests come in"
    )
    func event() {
        var limits = PINLimits()
        let world = (0..<500).map { PeerKey("198.51.\($0 / 250).\($0 % 250)") }
        #expect(looked(&limits, from: world, tries: 15_000) == 10_000)
        let fresh = PeerKey("192.0.2.1")
        let now = Duration.seconds(20)
        #expect(isLooked(limits.begin(device: nil, address: fresh, event: "e", at: now)) == nil)
        #expect(isLooked(limits.begin(device: "g", address: fresh, event: "e", at: now)) != nil)
        #expect(isLooked(limits.begin(device: nil, address: fresh, event: "other", at: now)) != nil)
        #expect(isLooked(limits.begin(device: nil, address: fresh, event: "e", at: .seconds(90_020))) != nil)
    }

    @Test("right ones count nowhere")
    func right() {
        var limits = PINLimits()
        let address = PeerKey("2001:db8:1:2::1")
        for number in 0..<25_000 {
            let now = Duration.milliseconds(number)
            let device = number % 2 == 0 ? "\(number)" : nil
            guard let attempt = isLooked(limits.begin(device: device, address: address, event: "e", at: now))
            else {
                Issue.record("number \(number) has to wait")
                return
            }
            limits.takeBack(attempt, at: now)
        }
    }
}
