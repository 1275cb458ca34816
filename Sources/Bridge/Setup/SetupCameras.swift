/// Which cameras are this home's: those that stand are kept or removed, others are found or named.
struct SetupCameras: Equatable, Sendable {
    private enum State: Equatable {
        case beginning
        /// Whether the first of these stays is asked.
        case keeping([SetupCamera])
        case removing([SetupCamera])
        case looking
        /// Which of these, or one that was not found.
        case choosing([SetupCamera])
        case adding([SetupCamera])
        /// It is one of the home's; the settings are to say that a run looks for it.
        case naming
        case askingForMore
        case over
    }

    private var state = State.beginning
    var isOver: Bool { state == .over }

    mutating func handle(_ word: SetupWord, _ standing: inout SetupStanding) -> [SetupConversation.Action] {
        switch (state, word) {
        case (.beginning, .begin): return keep(standing.cameras, standing)
        case (.keeping(let cameras), .answered(let answer)):
            guard answer == .yes else {
                state = .removing(cameras)
                return [.perform(.removeCamera(cameras[0]))]
            }
            return keep(Array(cameras.dropFirst()), standing)
        case (.removing(let cameras), .happened(.done)):
            standing.cameras.removeAll { $0 == cameras[0] }
            return keep(Array(cameras.dropFirst()), standing)
        case (.removing(let cameras), .happened(.failed(let problem))):
            return [.tell(problem)] + keep(Array(cameras.dropFirst()), standing)
        case (.looking, .happened(.found(let cameras, let advice))): return choose(cameras, advice)
        case (.looking, .happened(.failed(let problem))): return choose([], [problem])
        case (.choosing(let cameras), .answered(let answer)): return chosen(answer, of: cameras)
        case (.adding, .happened(.added(let camera))):
            standing.cameras.removeAll { $0.host == camera.host }
            standing.cameras.append(camera)
            return [.tell("\(camera.spoken) is a camera of this home now.")] + name(standing)
        case (.adding(let cameras), .happened(.failed(let problem))):
            return [.tell(problem)] + ask(among: cameras)
        case (.naming, .happened(.done)):
            standing.namesCameras = true
            return askForMore()
        case (.naming, .happened(.failed(let problem))): return [.tell(problem)] + askForMore()
        case (.askingForMore, .answered(let answer)):
            guard answer == .yes else { return finish() }
            return look()
        default: word.refuse()
        }
    }

    private mutating func keep(
        _ cameras: [SetupCamera], _ standing: SetupStanding
    ) -> [SetupConversation.Action] {
        guard let camera = cameras.first else {
            return standing.cameras.isEmpty ? look() : name(standing)
        }
        state = .keeping(cameras)
        let what = camera.isPaired ? "is paired" : "was added, and is not paired yet"
        return [.ask(SetupQuestion("Camera \(camera.spoken) \(what); keep it?", .yesOrNo(usual: true)))]
    }

    private mutating func look() -> [SetupConversation.Action] {
        state = .looking
        return [
            .tell(
                "Looking for cameras. The camera has to be awake, and on the same network as this computer."),
            .perform(.lookForCameras),
        ]
    }

    private mutating func choose(_ cameras: [SetupCamera], _ advice: [String]) -> [SetupConversation.Action] {
        let rows = cameras.enumerated().map { "  \($0.offset + 1)  \($0.element.spoken)" }
        return (rows + (cameras.isEmpty ? advice : [])).map { .tell($0) } + ask(among: cameras)
    }

    private mutating func ask(among cameras: [SetupCamera]) -> [SetupConversation.Action] {
        state = .choosing(cameras)
        let again = "'again' looks once more"
        guard !cameras.isEmpty else {
            return [
                .ask(
                    SetupQuestion(
                        "The camera's address, from its network menu (\(again)):", .words(usual: nil)))
            ]
        }
        return [
            .ask(
                SetupQuestion(
                    "Which one? Its number, or another camera's address or name (\(again)):",
                    .oneOf(cameras.count, usual: cameras.count == 1 ? 1 : nil, orWords: true)))
        ]
    }

    private mutating func chosen(
        _ answer: SetupAnswer, of cameras: [SetupCamera]
    ) -> [SetupConversation.Action] {
        switch answer {
        case .number(let number):
            state = .adding(cameras)
            return [.perform(.addCamera(cameras[number - 1].host))]
        case .words(""), .words("again"): return look()
        case .words(let text):
            state = .adding(cameras)
            return [.perform(.addCamera(text))]
        case .yes, .no, .skip, .quit: preconditionFailure("no such answer is one to this question")
        }
    }

    private mutating func name(_ standing: SetupStanding) -> [SetupConversation.Action] {
        guard !standing.namesCameras else { return askForMore() }
        state = .naming
        return [.perform(.nameCameras)]
    }

    private mutating func askForMore() -> [SetupConversation.Action] {
        state = .askingForMore
        return [.ask(SetupQuestion("Another camera?", .yesOrNo(usual: false)))]
    }

    private mutating func finish() -> [SetupConversation.Action] {
        state = .over
        return []
    }
}
