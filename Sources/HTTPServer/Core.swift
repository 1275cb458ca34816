import Basics
import Posix
import Synchronization

/// What all requests of a server share.
final class Core: Sendable {
    /// What the server's user says beside its routes.
    struct Answers: Sendable {
        let refusal: @Sendable (_ status: Int, _ message: String) -> Response
        let elsewhere: (@Sendable (_ request: Request, _ parts: [String]) -> Response?)?
        let finish: (@Sendable (_ request: Request, _ answer: Response) -> Response)?
    }

    let settings: ServerSettings
    let table: RoutingTable
    let recent = RecentTargets()
    let time: any TimeSource
    let wall: any WallTime
    let answers: Answers
    let log: @Sendable (AccessEntry) -> Void
    let shelf = OpenFileCache()
    let connections: Connections
    /// Of clients behind proxies: others have no more requests than connections.
    let requests: ClientCounts
    let pumps = Atomic<Int>(0)
    let comingBack: ComingBack
    /// Nothing where connections are encrypted: their keys are the library's, and so are their streams then.
    let streams: StreamWriter?

    /// Requests that have begun and are not over.
    private let active = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    /// Rung when the last one is over.
    let quiet = Signal()

    private let idPrefix: String
    private let idCount = Atomic<UInt64>(0)

    init(
        _ settings: ServerSettings, _ routes: [Route], _ time: any TimeSource, _ wall: any WallTime,
        _ random: any RandomSource,
        _ answers: Answers,
        _ log: @escaping @Sendable (AccessEntry) -> Void
    ) throws(SystemError) {
        self.settings = settings
        table = RoutingTable(routes)
        self.time = time
        self.wall = wall
        comingBack = ComingBack(random: random)
        connections = Connections(settings)
        requests = ClientCounts(most: settings.mostRequestsPerClient)
        streams =
            settings.tls == nil
            ? try StreamWriter(most: settings.mostStreams, comingBack: comingBack)
            : nil
        self.answers = answers
        self.log = log
        idPrefix = String(random.next(), radix: 36)
    }

    // MARK: Answers

    func refusal(_ status: Int, _ message: String) -> Response { answers.refusal(status, message) }

    /// One that the client may repeat after a moment, which is another for each of many.
    func refusal(_ status: Int, _ message: String, untilRoomAmong clients: Int) -> Response {
        var response = refusal(status, message)
        let seconds = (comingBack.pause(among: clients) + 999) / 1000
        response.headers.append(HTTPHeader("Retry-After", "\(seconds)"))
        return response
    }

    /// An answer as it goes out: with the last word of the server's user, and compressed where that is of use. Once for each
    /// answer, and before its connection wakes up where a handler has made it in a task.
    func finished(_ response: Response, for request: Request) -> Response {
        if response.isFinished { return response }
        var answer = (answers.finish?(request, response) ?? response).encoded(for: request)
        answer.isFinished = true
        return answer
    }

    // MARK: Names of requests

    /// Other requests of this run count, and other runs begin otherwise.
    func makeID() -> String {
        "\(idPrefix)-\(idCount.add(1, ordering: .relaxed).newValue)"
    }

    static func isAcceptable(id: String) -> Bool {
        (1...100).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                case _: false
                }
            }
    }

    // MARK: The end

    var isStopping: Bool { stopping.load(ordering: .acquiring) }
    /// Nothing is served any more.
    var isClosed: Bool { closed.load(ordering: .acquiring) }
    var isQuiet: Bool { active.load(ordering: .acquiring) == 0 }

    func beginStopping() {
        stopping.store(true, ordering: .releasing)
    }

    func close() {
        closed.store(true, ordering: .releasing)
    }

    func requestBegan() {
        active.add(1, ordering: .acquiringAndReleasing)
    }

    func requestEnded() {
        if active.subtract(1, ordering: .acquiringAndReleasing).newValue == 0, isStopping { quiet.fire() }
    }
}
