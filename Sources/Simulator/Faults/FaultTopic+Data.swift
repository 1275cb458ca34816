extension FaultTopic {
    static let data = FaultTopic(
        title: "Data",
        switches: [
            .packets: FaultFacts(
                "cuts data into packets in this way", .required("mode", .packets)),
            .unknownTotal: FaultFacts(
                "says in Start Data that the length is not known, with 64 or 32 bits of ones",
                .optional("bits", .choice(["64", "32"]), "64")),
            .wrongTotal: FaultFacts(
                "promises so many bytes more (or fewer) than come", .required("by", .difference)),
            .splitWrites: FaultFacts(
                "hands at most so many bytes at a time to TCP", .required("bytes", .number(1...1 << 20))),
            .stall: FaultFacts(
                "stops after so many bytes of an answer, for a while or for ever; with 0 before its first byte, or before an answer without data",
                .required("after", .number(0...1 << 50)), .optional("for", .durationOrForever, "forever")),
            .cut: FaultFacts(
                "ends both connections after so many bytes of an answer; 0 as for stall",
                .required("after", .number(0...1 << 50))),
            .reset: FaultFacts(
                "breaks both connections off after so many bytes of an answer; 0 as for stall",
                .required("after", .number(0...1 << 50))),
            .lostFin: FaultFacts(
                "goes silent after so many bytes of an answer and keeps the slot, as when the Wi-Fi drops; 0 as for stall",
                .required("after", .number(0...1 << 50)), .optional("hold", .duration, "30s")),
            .wrongSentCount: FaultFacts(
                "says in the response that it sent so many bytes more (or fewer)",
                .required("by", .difference)),
            .outOfStep: FaultFacts(
                "puts what does not belong there into the data: another transaction, no Start Data, two of them, a packet of type 200",
                .required("kind", .choice(DataJob.Disorder.allCases.map(\.rawValue)))),
            .noDataPhase: FaultFacts("says OK and gives no data where there should be some"),
            .refuseParts: FaultFacts(
                "offers to give parts of objects, and answers with this code when it is asked for one",
                .optional("code", .number(0x2002...0xFFFF), "0x2005")),
            .ignoreOffset: FaultFacts("gives parts from an object's beginning, wherever they should begin"),
            .partLength: FaultFacts(
                "gives parts that are so many bytes longer or shorter than was asked for",
                .required("by", .difference)),
            .refuseEnd: FaultFacts(
                "answers with this code when it is asked for a part that begins at an object's end",
                .optional("code", .number(0x2002...0xFFFF), "0x201D")),
        ])
}
