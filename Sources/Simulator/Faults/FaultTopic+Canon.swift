extension FaultTopic {
    static let canon = FaultTopic(
        title: "Canon",
        switches: [
            .canonDeletes: FaultFacts(
                "has a photo deleted on the body while its first part is on its way"),
            .canonDestination: FaultFacts(
                "puts photos on the card, into its memory for the host, or both",
                .optional("to", .choice(["card", "host", "both"]), "host")),
            .canonLateCard: FaultFacts(
                "tells only so long after the shot that a photo for the host is on the card as well",
                .optional("after", .duration, "5s")),
            .canonLongNames: FaultFacts(
                "tells of photos in the records for long file names, which name none"),
            .canonEventTail: FaultFacts(
                "puts so many bytes behind the end of its records",
                .optional("bytes", .number(1...4096), "12")),
            .canonProperties: FaultFacts(
                "tells of so many settings with every shot", .optional("count", .number(1...100_000), "1000")),
            .canonShutdown: FaultFacts(
                "says that it will soon switch itself off when it was not kept on for so long",
                .optional("after", .duration, "30s")),
            .canonWithdraw: FaultFacts("takes a photo for the host back as soon as it has told of it"),
            .canonLocks: FaultFacts(
                "is busy for ever once the client has released its shutter, as an M200 is"),
        ])
}
