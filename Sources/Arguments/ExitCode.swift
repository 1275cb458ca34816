/// How our programs end, by the numbers of sysexits.h, so that scripts and systemd can tell endings apart.
public enum ExitCode: Int32, CaseIterable, Sendable {
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

    /// For whom a command line or a script ends so.
    public var meaning: String {
        switch self {
        case .success: "What was asked for is done."
        case .failure: "Some of it is not done, or what was looked for is missing; standard error says what."
        case .usage: "The command line cannot be meant: a word, an option or a value that there is not."
        case .data: "A file or an answer is damaged, or something there refuses what it was sent."
        case .noInput: "There is no such file, event, destination or photo."
        case .unavailable: "A camera, a gallery or a destination cannot be reached."
        case .bug: "A mistake of the program's own; please report it."
        case .system: "The system has none left of something, such as open files."
        case .cannotCreate: "A file for the output cannot be made."
        case .inputOutput: "Reading or writing failed: a full or failing disk, as often as not."
        case .tryAgain: "Not now: another program is at it, or something is still under way."
        case .notVerifiable: "The other side cannot say what was asked, such as a card that cannot be listed."
        case .noPermission: "This user may not, or is not logged in."
        case .configuration: "The settings cannot be used; 'tetherline config check' says every mistake."
        case .interrupted: "Ended by Ctrl-C or by a signal, in order."
        }
    }

    /// What `help exit-codes` prints.
    public static var help: String {
        "How every command ends. A command's own help says more where there is more to say.\n\n"
            + CommandSpec.table("exit codes", allCases.map { (String($0.rawValue), $0.meaning) })
    }
}
