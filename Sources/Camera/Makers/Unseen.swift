/// What the facts about a make leave unconfirmed and a connection notices when a body does it: the rows of "Not yet seen
/// on a body" that are logged.
///
/// What is done until more is known stands in the articles about the makes. A greeting's own is in the report as well.
enum Unseen: CaseIterable, Sendable {
    case canonLargeRequest
    case canonLongName
    case canonParts
    case canonInfo
    case canonOneHandle
    case canonBusyAtFirst

    case nikonPairingCode
    case nikonNotPaired
    case nikonModeNotLeft
    case nikonJob
    case nikonJobAnswer
    case nikonEventCount
    case nikonKeptInMemory

    case sonyOtherRules
    case sonyContentTransfer
    case sonyListNotice
    case sonyFull
    case sonyOfferedAgain

    /// `detail`: what it was exactly, where that is not always the same.
    func sentence(on body: String, _ detail: String? = nil) -> String {
        let (met, assumed) = words
        let exactly = detail.map { " (\($0))" } ?? ""
        return
            "the \(body) \(met)\(exactly), which is not yet seen on a body: \(assumed). 'tetherline camera info --report FILE' writes a report that can be sent"
    }

    /// What was met, and what is assumed.
    private var words: (String, String) {
        switch self {
        case .canonLargeRequest, .canonLongName, .canonParts, .canonInfo, .canonOneHandle, .canonBusyAtFirst:
            ofCanon
        case .nikonPairingCode, .nikonNotPaired, .nikonModeNotLeft, .nikonJob, .nikonJobAnswer,
            .nikonEventCount, .nikonKeptInMemory:
            ofNikon
        case .sonyOtherRules, .sonyContentTransfer, .sonyListNotice, .sonyFull, .sonyOfferedAgain: ofSony
        }
    }

    private var ofCanon: (String, String) {
        switch self {
        case .canonLargeRequest:
            (
                "tells of a photo for the computer in record 0xC1A9",
                "the handle and the size are taken from it, and the camera is asked for the rest"
            )
        case .canonLongName:
            (
                "tells of a photo in record 0xC1B6",
                "the handle is taken from it, and the camera is asked for the rest"
            )
        case .canonParts:
            (
                "lists GetPartialObject64 (0x9172), whose offset may have 32 or 64 bits",
                "it is used only as canon-9172 in config.json5 says"
            )
        case .canonInfo:
            (
                "lists GetObjectInfo64 (0x9170), whose layout is not known",
                "a film of more than 4 GiB has its size from the record of the shot, and none after a reconnect"
            )
        case .canonOneHandle:
            (
                "has one handle for a photo in its memory and on its card",
                "that is one photo, and it comes once"
            )
        default: ("is busy when it is told to keep its events (SetEventMode)", "it is told again, for 10 s")
        }
    }

    private var ofNikon: (String, String) {
        switch self {
        case .nikonPairingCode:
            (
                "gives a pairing code that cannot be read in one way alone",
                "each reading is shown, to be compared with its screen"
            )
        case .nikonNotPaired:
            (
                "lists objects beside GetPairingInfo, and refuses its application mode",
                "it was taken to be paired, and has to be paired again"
            )
        case .nikonModeNotLeft:
            ("does not leave its application mode when it is told to", "the connection ends in it")
        case .nikonJob:
            (
                "answers AdvancedTransfer with a photo to be fetched",
                "its handle is the first parameter, or else the first 32 bits of the data"
            )
        case .nikonJobAnswer:
            ("answers AdvancedTransfer with an unknown code", "it is asked again after 3 s")
        case .nikonEventCount:
            (
                "has more in front of its events (GetEventEx) than a count of 16 bits",
                "what stands behind these 16 bits does not count"
            )
        default:
            (
                "keeps a photo in its memory that it told of in an earlier connection, or of none",
                "it is fetched like a new one"
            )
        }
    }

    private var ofSony: (String, String) {
        switch self {
        case .sonyOtherRules:
            (
                "tells its properties by other rules than those of its version",
                "they are read by the rules that fit, with one list for each enumeration or two"
            )
        case .sonyContentTransfer:
            (
                "is in content transfer",
                "its photos are fetched with GetObject and gone on with by 0x9211"
            )
        case .sonyListNotice:
            (
                "has told by itself that a list has changed",
                "with sony:contents its card is looked at, otherwise nothing is done"
            )
        case .sonyFull:
            (
                "says that its memory is full (0xA105) where it was not asked for its properties",
                "it is taken for a refusal of what was asked"
            )
        default:
            (
                "offers a photo again whose reading broke off",
                "it is read again, from its first byte"
            )
        }
    }
}
