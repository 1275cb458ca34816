/// Each camera that has not let us in yet is connected to, while a person stands beside it.
struct SetupPairing: Equatable, Sendable {
    private enum State: Equatable {
        case beginning
        /// Whether the first of these is paired anew is asked.
        case keeping([SetupCamera])
        /// The first of these is being made ready by a person.
        case preparing([SetupCamera])
        case connecting([SetupCamera])
        /// It was in vain; whether it is tried again is asked.
        case failed([SetupCamera])
        case over
    }

    /// Those that are paired are asked about as well.
    private let again: Bool
    private var state = State.beginning
    var isOver: Bool { state == .over }

    init(again: Bool) { self.again = again }

    mutating func handle(_ word: SetupWord, _ standing: inout SetupStanding) -> [SetupConversation.Action] {
        switch (state, word) {
        case (.beginning, .begin): return begin(standing)
        case (.keeping(let cameras), .answered(let answer)):
            return answer == .yes ? pair(Array(cameras.dropFirst())) : prepare(cameras)
        case (.preparing(let cameras), .answered): return connect(cameras)
        case (.connecting(let cameras), .happened(.paired(let name))):
            for index in standing.cameras.indices where standing.cameras[index].host == cameras[0].host {
                standing.cameras[index].isPaired = true
                standing.cameras[index].name = name
            }
            return [.tell("\(name) lets this computer in.")] + pair(Array(cameras.dropFirst()))
        case (.connecting(let cameras), .happened(.failed(let problem))):
            state = .failed(cameras)
            return [.tell(problem), .ask(SetupQuestion("Try again?", .yesOrNo(usual: true)))]
        case (.failed(let cameras), .answered(let answer)):
            guard answer == .yes else {
                let later = "\(cameras[0].name) is not paired: \(standing.command("setup pair")) tries again."
                return [.tell(later)] + pair(Array(cameras.dropFirst()))
            }
            return connect(cameras)
        default: word.refuse()
        }
    }

    private mutating func begin(_ standing: SetupStanding) -> [SetupConversation.Action] {
        guard !standing.cameras.isEmpty else {
            state = .over
            return [.tell("There is no camera to pair yet: \(standing.command("setup camera")) finds one.")]
        }
        guard again || standing.cameras.contains(where: { !$0.isPaired }) else {
            state = .over
            let names = standing.cameras.map(\.spoken).joined(separator: ", ")
            return [.tell("Paired already: \(names). \(standing.command("setup pair")) pairs anew.")]
        }
        let wanted = again ? standing.cameras : standing.cameras.filter { !$0.isPaired }
        return pair(wanted)
    }

    private mutating func pair(_ cameras: [SetupCamera]) -> [SetupConversation.Action] {
        guard let camera = cameras.first else {
            state = .over
            return []
        }
        guard !camera.isPaired else {
            state = .keeping(cameras)
            return [
                .ask(SetupQuestion("Camera \(camera.spoken) is paired; keep it so?", .yesOrNo(usual: true)))
            ]
        }
        return prepare(cameras)
    }

    private mutating func prepare(_ cameras: [SetupCamera]) -> [SetupConversation.Action] {
        state = .preparing(cameras)
        let camera = cameras[0]
        return ["Pairing \(camera.spoken). End its phone app first: most cameras have room for one client."]
            .map { .tell($0) } + camera.toPress.map { .tell("  \($0)") } + [
                .ask(SetupQuestion("Press Enter when the camera waits for a computer:", .enter))
            ]
    }

    private mutating func connect(_ cameras: [SetupCamera]) -> [SetupConversation.Action] {
        state = .connecting(cameras)
        return [.perform(.pair(cameras[0]))]
    }
}
