/// How our programs end, by the numbers of sysexits.h, so that scripts and systemd can tell endings apart.
public enum ExitCode: Int32, Sendable {
    case success = 0
    /// Something that was asked for was not done; which, is on standard error.
    case failure = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case bug = 70
    case system = 71
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    /// The other side cannot say what was asked (EX_PROTOCOL): a card that cannot be listed.
    case notVerifiable = 76
    case noPermission = 77
    case configuration = 78
    case interrupted = 130
}
