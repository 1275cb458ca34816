extension FaultTopic {
    static let nikon = FaultTopic(
        title: "Nikon",
        switches: [
            .nikonPaired: FaultFacts("has paired with every client that comes, and shows no code"),
            .nikonPairing: FaultFacts(
                "shows this code, written so, once it was asked often enough; a person confirms it, and its Wi-Fi restarts",
                .optional("code", .number(0...9999), "1234"),
                .optional("as", .choice(["ascii", "utf-16", "bcd", "number"]), "ascii"),
                .optional("empty", .number(0...100), "2"),
                .optional("confirm", .durationOrForever, "300ms"),
                .optional("restart", .duration, "500ms")),
            .nikonInMemory: FaultFacts(
                "keeps a shot in its memory instead of on the card, and tells of it as handle 0"),
            .nikonPictureTransfer: FaultFacts(
                "is in picture-transfer mode: Access_Denied for all that it has not queued itself, which is each shot"
            ),
            .nikonBrokenEvents: FaultFacts(
                "answers GetEvent with a list that claims more events than it has"),
            .nikonWantsProbe: FaultFacts(
                "answers nothing to a client before that has probed it on the event connection"),
        ])
}
