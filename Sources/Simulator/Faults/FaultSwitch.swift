/// Everything that can be made to go wrong with a simulated camera, by the name it has in a fault script.
/// Each was seen on a real camera, or follows from the standard.
public enum FaultSwitch: String, CaseIterable, Sendable {
    // Connecting
    case holdAck = "hold-ack"
    case initFail = "init-fail"
    case refuseEventLink = "refuse-event-link"
    case connectionNumber = "connection-number"
    case silentAccept = "silent-accept"
    case demandGUID = "demand-guid"
    case dropLateEventLink = "drop-late-event-link"
    // Data
    case packets
    case unknownTotal = "unknown-total"
    case wrongTotal = "wrong-total"
    case splitWrites = "split-writes"
    case stall
    case cut
    case reset
    case lostFin = "lost-fin"
    case wrongSentCount = "wrong-sent-count"
    // Notices
    case duplicateNotices = "duplicate-notices"
    case earlyNotice = "early-notice"
    case missingNotices = "missing-notices"
    case onlyCaptureComplete = "only-capture-complete"
    case noticeFlood = "notice-flood"
    // Objects
    case notReady = "not-ready"
    case lateSize = "late-size"
    case sameName = "same-name"
    case firstNumber = "first-number"
    case hugeObject = "huge-object"
    case cardSwap = "card-swap"
    case renumber
    case oddFolderDate = "odd-folder-date"
    case inMemory = "in-memory"
    case noPartialReads = "no-partial-reads"
    // Errors
    case busy
    case accessLock = "access-lock"
    case sessionAlreadyOpen = "session-already-open"
    case staleHandles = "stale-handles"
    case storeFull = "store-full"
    case poison
    // Others
    case sleep
    case probe
    case probeOnCommand = "probe-on-command"
    case staleResponse = "stale-response"
    case trailingBytes = "trailing-bytes"
    case truncateStrings = "truncate-strings"

    /// What the camera does, in a line for `camsim --faults help`.
    public var explanation: String {
        switch self {
        case .holdAck: "waits before it lets a client in, as if a person had to press OK"
        case .initFail: "refuses the client with this reason"
        case .refuseEventLink: "closes the event connection instead of answering it"
        case .connectionNumber: "gives this connection number"
        case .silentAccept: "accepts the connection and never says a word"
        case .demandGUID: "refuses every client but the one with this GUID"
        case .dropLateEventLink: "hangs up when the event connection is not there in time"
        case .packets: "cuts data into packets in this way"
        case .unknownTotal: "says in Start Data that the length is not known, with 64 or 32 bits of ones"
        case .wrongTotal: "promises so many bytes more (or fewer) than come"
        case .splitWrites: "hands at most so many bytes at a time to TCP"
        case .stall: "stops in the middle of an object, for a while or for ever"
        case .cut: "ends both connections in the middle of an object"
        case .reset: "breaks both connections off in the middle of an object"
        case .lostFin: "goes silent in the middle of an object and keeps the slot, as when the Wi-Fi drops"
        case .wrongSentCount: "says in the response that it sent so many bytes more (or fewer)"
        case .duplicateNotices: "tells everything twice"
        case .earlyNotice: "tells of an object before the event connection is answered"
        case .missingNotices: "takes photos and says nothing"
        case .onlyCaptureComplete: "says CaptureComplete and never ObjectAdded"
        case .noticeFlood: "sends so many notices with every shot"
        case .notReady: "answers for a new object with this code for a while"
        case .lateSize: "says for a while that a new object has no bytes, or another count of them"
        case .sameName: "gives every shot the same name, each in a folder of its own"
        case .firstNumber: "numbers photos from here; 9999 is followed by 0001 in the next folder"
        case .hugeObject: "makes the next shot this large"
        case .cardSwap:
            "has its card changed for an empty one after so many shots, with new handles or reused ones"
        case .renumber: "gives all objects new handles at every connection"
        case .oddFolderDate: "dates its DCIM folder 19800000T000000"
        case .inMemory: "keeps photos in memory without a card; each is gone once it was fetched"
        case .noPartialReads: "does not offer to give parts of objects"
        case .busy: "answers Device_Busy"
        case .accessLock: "answers Access_Denied to whoever wants an object"
        case .sessionAlreadyOpen: "answers OpenSession with Session_Already_Open"
        case .staleHandles: "after a reconnect knows no handle until it has been listed again"
        case .storeFull: "has no room for another photo"
        case .poison: "answers everything with General_Error once this operation was asked for"
        case .sleep: "hangs up when nothing was asked for so long"
        case .probe: "asks the client whether it is there, and hangs up without an answer"
        case .probeOnCommand: "the same, asking on the command connection as Sony does"
        case .staleResponse: "sends the answer to an earlier transaction first"
        case .trailingBytes: "puts so many bytes too many behind every dataset"
        case .truncateStrings: "leaves the strings at the end of datasets out"
        }
    }

    /// The settings it takes, besides those that all take.
    var parameters: [FaultParameter] {
        switch self {
        case .holdAck: [.required("for", .duration)]
        case .initFail: [.optional("reason", .number(0...0xFFFF_FFFF), "1")]
        case .connectionNumber: [.required("value", .number(0...0xFFFF_FFFF))]
        case .demandGUID: [.required("value", .guid)]
        case .dropLateEventLink: [.optional("after", .duration, "3s")]
        case .packets: [.required("mode", .packets)]
        case .unknownTotal: [.optional("bits", .choice(["64", "32"]), "64")]
        case .wrongTotal, .wrongSentCount: [.required("by", .difference)]
        case .splitWrites, .trailingBytes: [.required("bytes", .number(1...1 << 20))]
        case .stall:
            [.required("after", .number(0...1 << 50)), .optional("for", .durationOrForever, "forever")]
        case .cut, .reset: [.required("after", .number(0...1 << 50))]
        case .lostFin: [.required("after", .number(0...1 << 50)), .optional("hold", .duration, "30s")]
        case .noticeFlood: [.optional("count", .number(1...1_000_000), "10000")]
        case .notReady: [.required("for", .duration), .optional("code", .number(0x2002...0xFFFF), "0x2002")]
        case .lateSize: [.required("for", .duration), .optional("as", .number(0...0xFFFF_FFFF), "0")]
        case .firstNumber: [.required("value", .number(1...9999))]
        case .hugeObject: [.optional("size", .number(1...1 << 50), "5368709120")]
        case .cardSwap:
            [
                .required("shots", .number(1...1_000_000)),
                .optional("handles", .choice(["fresh", "reused"]), "fresh"),
            ]
        case .poison: [.required("operation", .number(0...0xFFFF))]
        case .sleep: [.required("after", .duration)]
        case .probe, .probeOnCommand:
            [.optional("every", .duration, "5s"), .optional("within", .duration, "10s")]
        case .refuseEventLink, .silentAccept, .duplicateNotices, .earlyNotice, .missingNotices,
            .onlyCaptureComplete, .sameName, .renumber, .oddFolderDate, .inMemory, .noPartialReads, .busy,
            .accessLock,
            .sessionAlreadyOpen, .staleHandles, .storeFull, .staleResponse, .truncateStrings:
            []
        }
    }
}

/// One setting of a switch.
struct FaultParameter: Sendable {
    enum Kind: Sendable {
        case number(ClosedRange<UInt64>)
        /// With a sign.
        case difference
        case duration
        case durationOrForever
        case choice([String])
        case guid
        case packets
    }

    let name: String
    let kind: Kind
    let usual: String?

    static func required(_ name: String, _ kind: Kind) -> FaultParameter {
        FaultParameter(name: name, kind: kind, usual: nil)
    }

    static func optional(_ name: String, _ kind: Kind, _ usual: String) -> FaultParameter {
        FaultParameter(name: name, kind: kind, usual: usual)
    }

    /// What every switch takes: how often, how likely, and for whom.
    static let common: [FaultParameter] = [
        .optional("times", .number(1...1_000_000_000), ""), .optional("chance", .number(1...100), "100"),
        .optional("object", .number(1...0xFFFF_FFFE), ""), .optional("operation", .number(0...0xFFFF), ""),
        .optional("skip", .number(0...1_000_000_000), "0"),
    ]
}
