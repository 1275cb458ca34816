/// A photo is taken and followed to every place that it goes to.
struct SetupPhoto: Equatable, Sendable {
    private enum State: Equatable {
        case beginning
        case offering
        /// A bridge runs until the photo has arrived, or its time is over.
        case following
        case askingToRetry
        case over
    }

    private var state = State.beginning
    var isOver: Bool { state == .over }

    mutating func handle(_ word: SetupWord, _ standing: inout SetupStanding) -> [SetupConversation.Action] {
        switch (state, word) {
        case (.beginning, .begin):
            let gates = standing.closedGates
            guard gates.isEmpty, let event = standing.event else {
                state = .over
                return (["A test photo has no way yet."] + gates).map { .tell($0) }
            }
            state = .offering
            let text = "Try it with a photo, all the way? It stays in the event '\(event)'."
            return [.ask(SetupQuestion(text, .yesOrNo(usual: true)))]
        case (.offering, .answered(let answer)), (.askingToRetry, .answered(let answer)):
            guard answer == .yes else {
                state = .over
                return []
            }
            state = .following
            return [.perform(.takePhoto)]
        case (.following, .happened(.done)):
            for index in standing.cameras.indices { standing.cameras[index].isPaired = true }
            state = .over
            return []
        case (.following, .happened(.failed(let problem))):
            state = .askingToRetry
            return [.tell(problem), .ask(SetupQuestion("Try again?", .yesOrNo(usual: true)))]
        default: word.refuse()
        }
    }
}

/// Whether the bridge is to start by itself. Only the way is shown: what an operator has not installed is not switched on.
struct SetupService: Equatable, Sendable {
    private enum State: Equatable {
        case beginning
        case offering
        case looking
        case over
    }

    private var state = State.beginning
    var isOver: Bool { state == .over }

    mutating func handle(_ word: SetupWord, _ standing: inout SetupStanding) -> [SetupConversation.Action] {
        switch (state, word) {
        case (.beginning, .begin):
            state = .offering
            let text = "Should the bridge start by itself, as a service, also after a power cut?"
            return [.ask(SetupQuestion(text, .yesOrNo(usual: false)))]
        case (.offering, .answered(let answer)):
            guard answer == .yes else {
                state = .over
                return []
            }
            state = .looking
            return [.perform(.lookForService)]
        case (.looking, .happened(.service(let lines))):
            state = .over
            return lines.map { .tell($0) }
        case (.looking, .happened(.failed(let problem))):
            state = .over
            return [.tell(problem)]
        default: word.refuse()
        }
    }
}
