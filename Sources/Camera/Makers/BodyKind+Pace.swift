import Bridge

extension BodyKind {
    /// How connections to such a body are spaced: each value is what is known of its make, and nothing is shorter than usual.
    func pace(_ usual: ConnectionLife.Settings) -> ConnectionLife.Settings {
        var pace = usual
        switch make {
        case .nikon:
            pace.settle = max(usual.settle, Self.nikonSettle)
            pace.busyPause = max(usual.busyPause, Self.nikonSlotHold)
        case .sony: pace.mostGreetings = min(usual.mostGreetings, Self.sonyGreetings)
        // Of these no pause is known that is longer than the usual ones.
        case .canon, .other: break
        }
        return pace
    }

    /// A place for a client that it has lost, or given to another, is left alone for ``nikonSlotHold``.
    var holdsSlot: Bool { isNikon }
    /// "Send ProbeRequest on the event link right after InitEventAck, otherwise the session hangs."
    var probesFirst: Bool { isNikon }

    private var isNikon: Bool { if case .nikon = make { true } else { false } }

    /// "1.2 s settle before the next Init."
    static let nikonSettle = Duration.milliseconds(1200)
    /// "If the FIN is lost the camera keeps its single slot ≥ 30 s; hammering it with Init in that window can wedge the
    /// firmware."
    static let nikonSlotHold = Duration.seconds(30)
    /// "Sony's app makes up to 3 connection attempts."
    static let sonyGreetings = 3
}
