extension FaultTopic {
    static let sony = FaultTopic(
        title: "Sony",
        switches: [
            .sonyAdobeRGB: FaultFacts("names its photos _DSC0001.JPG, as with the AdobeRGB colour space"),
            .sonyEmptyInfo: FaultFacts(
                "answers 0x9202 without any data; with times=N until it is ready"),
            .sonyKeepsCut: FaultFacts(
                "keeps a photo in its memory until all of it has been read, instead of letting go of it at once"
            ),
            .sonyPairAsOne: FaultFacts(
                "counts a RAW and its JPEG as one in 0xD215, and has the RAW ready only when the JPEG has been read"
            ),
            .sonySaves: FaultFacts(
                "writes photos to the computer, to its card or to both (property 0xD222)",
                .optional("to", .choice(["both", "host", "card"]), "both")),
            .sonySendToComputer: FaultFacts(
                "is in Send to Computer mode: shows its card after 0x9280 has said that it begins"),
            .sonySilent: FaultFacts("tells nothing by itself, as bodies from before 2019"),
        ])
}
