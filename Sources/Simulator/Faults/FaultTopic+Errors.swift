extension FaultTopic {
    static let errors = FaultTopic(
        title: "Errors",
        switches: [
            .refuse: FaultFacts("answers with this code", .required("code", .number(0x2002...0xFFFF))),
            .busy: FaultFacts(
                "answers Device_Busy"),
            .accessLock: FaultFacts(
                "answers Access_Denied to a client that wants an object"),
            .sessionAlreadyOpen: FaultFacts(
                "answers OpenSession with Session_Already_Open"),
            .staleHandles: FaultFacts(
                "after a reconnect knows no handle until it has been listed again"),
            .storeFull: FaultFacts(
                "has no room for another photo"),
            .poison: FaultFacts(
                "answers everything with General_Error once this operation was asked for",
                .required("operation", .number(0...0xFFFF))),
        ])
}
