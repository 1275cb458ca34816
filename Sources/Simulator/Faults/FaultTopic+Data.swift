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
        ])
}
