extension FaultTopic {
    static let notices = FaultTopic(
        title: "Notices",
        switches: [
            .duplicateNotices: FaultFacts(
                "tells everything twice"),
            .earlyNotice: FaultFacts(
                "tells of an object before the event connection is answered"),
            .missingNotices: FaultFacts(
                "takes photos and says nothing"),
            .onlyCaptureComplete: FaultFacts(
                "says CaptureComplete and never ObjectAdded"),
            .noticeFlood: FaultFacts(
                "sends so many notices with every shot", .optional("count", .number(1...1_000_000), "10000")),
            .oddEvents: FaultFacts(
                "says with every shot an Event of so many bytes in all: 12 are too few, 214 too many",
                .optional("bytes", .number(8...4096), "12")),
            .unknownPackets: FaultFacts("says with every shot a packet of type 200 on the event connection"),
        ])
}
