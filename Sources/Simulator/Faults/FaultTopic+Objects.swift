extension FaultTopic {
    static let objects = FaultTopic(
        title: "Objects",
        switches: [
            .notReady: FaultFacts(
                "answers for a new object with this code for a while", .required("for", .duration),
                .optional("code", .number(0x2002...0xFFFF), "0x2002")),
            .lateSize: FaultFacts(
                "says for a while that a new object has no bytes, or another count of them",
                .required("for", .duration), .optional("as", .number(0...0xFFFF_FFFF), "0")),
            .sameName: FaultFacts(
                "gives every shot the same name, each in a folder of its own"),
            .firstNumber: FaultFacts(
                "numbers photos from here; 9999 is followed by 0001 in the next folder",
                .required("value", .number(1...9999))),
            .hugeObject: FaultFacts(
                "makes the next shot this large", .optional("size", .number(1...1 << 50), "5368709120")),
            .cardSwap: FaultFacts(
                "has its card changed for an empty one after so many shots, with new handles or reused ones",
                .required("shots", .number(1...1_000_000)),
                .optional("handles", .choice(["fresh", "reused"]), "fresh")),
            .renumber: FaultFacts(
                "gives all objects new handles at every connection"),
            .oddFolderDate: FaultFacts(
                "dates its DCIM folder 19800000T000000"),
            .inMemory: FaultFacts(
                "keeps photos in memory without a card; each is gone once it was fetched, or only when it is deleted",
                .optional("until", .choice(["fetched", "deleted"]), "fetched")),
            .noPartialReads: FaultFacts(
                "does not offer to give parts of objects"),
            .noWholeObjects: FaultFacts("gives objects only in parts"),
            .wrongSize: FaultFacts(
                "says in ObjectInfo that an object has so many bytes more or fewer, or another count of them",
                .optional("by", .difference), .optional("as", .number(0...0xFFFF_FFFF)), oneOf: ["by", "as"]),
            .foreignBeginning: FaultFacts(
                "has photos whose first bytes are not their own: zeros, or what another kind of file begins with",
                .optional("as", .choice(ForeignBeginning.allCases.map(\.rawValue)), "zeros")),
            .emptyObject: FaultFacts("has photos without a byte, and says so"),
            .protected: FaultFacts(
                "has photos that are protected, as photographers mark those that are wanted"),
            .objectProperties: FaultFacts(
                "lists MTP's properties of objects (0x9801 to 0x9805), with ratings from 0 to 5 in turn"),
            .noStableIDs: FaultFacts("gives objects no identifier that lasts (property 0xDC41)"),
            .listByLevel: FaultFacts(
                "lists what lies in one folder, and where none is named what hangs at the top, or nothing but this code",
                .optional("code", .number(0x2002...0xFFFF))),
            .listByStorage: FaultFacts(
                "answers Invalid_StorageID when all storages are to be listed at once"),
            .vanish: FaultFacts(
                "loses its card after so many shots, or when an object or this operation is asked for, for a while or for ever",
                .optional("after-shots", .number(1...1_000_000)),
                .optional("for", .durationOrForever, "forever")),
        ])
}
