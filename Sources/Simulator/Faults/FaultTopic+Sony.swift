extension FaultTopic {
    static let sony = FaultTopic(
        title: "Sony",
        switches: [
            .sonyAdobeRGB: FaultFacts("names its photos _DSC0001.JPG, as with the AdobeRGB colour space"),
            .sonyContents: FaultFacts(
                "lists its card beside its memory, in PC Remote (0x923B to 0x923E); rated: with ratings from 0 to 5 in turn",
                .optional("rated", .choice(["no", "yes"]), "no")),
            .sonyEmptyInfo: FaultFacts(
                "answers 0x9202 without any data; with times=N until it is ready"),
            .sonyGreetingLimit: FaultFacts(
                "hangs up on a client that has not greeted it in time, with 0x9201 and 0x9202",
                .optional("within", .duration, "30s")),
            .sonyKeepsCut: FaultFacts(
                "keeps a photo in its memory until all of it has been read, instead of letting go of it at once"
            ),
            .sonyLateCard: FaultFacts(
                "in content transfer: says only after a while that its card can be listed (property 0xD295)",
                .optional("for", .duration, "2s")),
            .sonyMemory: FaultFacts(
                "holds so many photos that have not been read; then the shutter is blocked, with 0xA105",
                .optional("photos", .number(1...1000), "64")),
            .sonyOneSession: FaultFacts(
                "in Send to Computer: serves one connection, and answers no Init after it until it is switched off and on"
            ),
            .sonyPairAsOne: FaultFacts(
                "counts a RAW and its JPEG as one in 0xD215, and has the RAW ready only when the JPEG has been read"
            ),
            .sonyPairing: FaultFacts(
                "shows the name of a client that it does not know, and lets it in when a person has pressed OK; remembers so many",
                .optional("ok", .duration, "3s"), .optional("most", .number(1...1000), "20")),
            .sonyRenewedList: FaultFacts(
                "makes the list of its card (0x923C) anew at every connection, with another time in it"),
            .sonySaves: FaultFacts(
                "writes photos to the computer, to its card or to both (property 0xD222)",
                .optional("to", .choice(["both", "host", "card"]), "both")),
            .sonySendToComputer: FaultFacts(
                "is in Send to Computer mode: shows its card after 0x9280 has said that it begins"),
            .sonySilent: FaultFacts("tells nothing by itself, as bodies from before 2019"),
            .sonyWarmUp: FaultFacts(
                "takes no photo for a client that asks for one so soon after its greeting",
                .optional("for", .duration, "3s"), .optional("code", .number(0x2002...0xFFFF), "0x2019")),
        ])
}
