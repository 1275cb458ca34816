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
        ])
}
