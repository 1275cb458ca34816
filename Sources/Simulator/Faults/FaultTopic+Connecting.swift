extension FaultTopic {
    static let connecting = FaultTopic(
        title: "Connecting",
        switches: [
            .holdAck: FaultFacts(
                "waits before it lets a client in, as if a person had to press OK",
                .required("for", .duration)),
            .initFail: FaultFacts(
                "refuses the client with this reason", .optional("reason", .number(0...0xFFFF_FFFF), "1")),
            .refuseEventLink: FaultFacts(
                "closes the event connection instead of answering it"),
            .connectionNumber: FaultFacts(
                "gives this connection number", .required("value", .number(0...0xFFFF_FFFF))),
            .silentAccept: FaultFacts(
                "accepts the connection and never says a word"),
            .demandGUID: FaultFacts(
                "refuses every client but the one with this GUID", .required("value", .guid)),
            .dropLateEventLink: FaultFacts(
                "hangs up when the event connection is not there in time", .optional("after", .duration, "3s")
            ),
            .sessionID: FaultFacts(
                "refuses to open a session with another number, with this code",
                .required("wanted", .number(1...0xFFFF_FFFF)),
                .optional("code", .number(0x2002...0xFFFF), "0x201D")),
            .unstableGUID: FaultFacts("says at each connection that it has another GUID"),
        ])
}
