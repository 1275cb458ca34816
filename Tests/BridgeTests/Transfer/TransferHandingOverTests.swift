import Bridge
import Testing

/// Cameras that give their photos one after the other: what is not wanted stands before what is.
@Suite struct TransferHandingOverTests {
    private static func tethering(handsOver: Bool) -> ConnectedCamera {
        ConnectedCamera(camera: CameraID(1), connection: "first", handsOver: handsOver)
    }

    /// One photo in memory is told and described, and the filter passes it over. Gives what comes then.
    private func passedOver(handsOver: Bool, inMemory: Bool = true) -> String {
        var bench = CardBench()
        let tethering = Self.tethering(handsOver: handsOver)
        for happening: TransferMachine.Happening in [
            .connected(tethering), .surveyed(Survey()), .listed([]), .noticed(.added(CardBench.first)),
        ] { bench.tell(happening) }
        let offer = CardBench.offer(1, inMemory: inMemory)
        bench.tell(.described(CardBench.first, offer))
        let sighting = Sighting(offer: offer, objection: .kind)
        let filtered = CardBench.capture(1, .filtered)
        return bench.tell(.recorded([sighting], [filtered], tethering, isLive: true))
    }

    @Test("what is not wanted is released, so that the next one can come")
    func released() {
        #expect(passedOver(handsOver: true).hasSuffix("release 1"))
    }

    @Test("a camera that lists what it has keeps what is not wanted, in memory or on its card")
    func kept() {
        #expect(!passedOver(handsOver: false).contains("release"))
        #expect(!passedOver(handsOver: true, inMemory: false).contains("release"))
    }
}
