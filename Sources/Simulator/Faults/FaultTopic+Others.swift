import PTP

extension FaultTopic {
    static let others = FaultTopic(
        title: "Others",
        switches: [
            .sleep: FaultFacts(
                "hangs up when nothing was asked for so long", .required("after", .duration)),
            .probe: FaultFacts(
                "asks the client whether it is there, and hangs up without an answer",
                .optional("every", .duration, "5s"), .optional("within", .duration, "10s")),
            .probeOnCommand: FaultFacts(
                "the same, asking on the command connection as Sony does",
                .optional("every", .duration, "5s"), .optional("within", .duration, "10s")),
            .ignoreProbes: FaultFacts(
                "answers no Probe requests of the client's, or none while anything else is asked of it",
                .optional("when", .choice(["always", "asked"]), "always")),
            .lateProbes: FaultFacts(
                "answers the client's Probe requests so much later", .required("by", .duration)),
            .hangUpOnProbe: FaultFacts("hangs up on a client that sends a Probe request"),
            .staleResponse: FaultFacts(
                "sends the answer to an earlier transaction first"),
            .trailingBytes: FaultFacts(
                "puts so many bytes too many behind every dataset", .required("bytes", .number(1...1 << 20))),
            .truncateStrings: FaultFacts(
                "leaves the strings at the end of datasets out"),
            .shortStorageInfo: FaultFacts(
                "gives only the first bytes of StorageInfo; 26 are its numbers, without the strings behind them",
                .optional("bytes", .number(0...26), "26")),
            .fiveParameters: FaultFacts("answers with exactly five parameters, those without a meaning zero"),
            .hang: FaultFacts(
                "answers nothing any more on any connection, which its system keeps open, for a while or for ever",
                .optional("for", .durationOrForever, "forever")),
            .flood: FaultFacts(
                "says the same without end: empty Data, Events, Probe requests, or ObjectAdded of objects that there are not; from the session's beginning, or from an operation on when one or an object is named. Data from an operation on comes in place of its answer",
                .required("kind", .choice(Flood.Kind.allCases.map(\.rawValue))),
                .optional("channel", .choice(Channel.allCases.map(\.rawValue))),
                .optional("rate", .number(0...1_000_000), "0"),
                .optional("from", .choice(["session", "operation"])),
                .optional("for", .durationOrForever, "forever")),
        ])
}
