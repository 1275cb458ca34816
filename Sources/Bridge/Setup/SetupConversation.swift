/// The first hour as a conversation: which question comes next, what an answer means, what is done and what is left for
/// later.
///
/// Steps follow one another, and each is a machine of its own. What touches the world, the terminal, cameras, galleries and
/// disks, is the driver's: it is told what to do by ``Action``, and says what came of it by ``Happening``. Between two
/// happenings there is one thing under way at most: a question, or some ``Work``.
public struct SetupConversation: Equatable, Sendable {
    public enum Happening: Equatable, Sendable {
        /// A line that was typed, to the question that was asked last.
        case answered(String)
        /// Which cameras announce themselves, and what helps where there is none.
        case found([SetupCamera], advice: [String])
        case added(SetupCamera)
        /// The camera has let us in; by what name it is known from now on.
        case paired(String)
        /// Logged in at a gallery.
        case loggedIn(String)
        /// Which version of the gallery's terms, what they say where the gallery shows it, and whether they are agreed to.
        case consent(version: String, terms: [String] = [], isGiven: Bool)
        case events([SetupEvent])
        /// A place is one of the settings' now, as the ledger writes it.
        case placed(String)
        /// What can start the bridge by itself, and how it is told to, a line each.
        case service([String])
        case done
        /// What was typed cannot be meant: why, in a sentence.
        case unclear(String)
        /// Why it could not be done, and what helps, in a sentence.
        case failed(String)
    }

    public enum Action: Equatable, Sendable {
        case tell(String)
        case ask(SetupQuestion)
        case perform(Work)
        case end
    }

    public enum Work: Equatable, Sendable {
        case lookForCameras
        /// By its address, name or model.
        case addCamera(String)
        case removeCamera(SetupCamera)
        /// The settings say that a run looks for the cameras of this home.
        case nameCameras
        case pair(SetupCamera)
        case logIn(SetupLogin)
        case lookAtConsent(gallery: String)
        case giveConsent(gallery: String)
        case lookForEvents(gallery: String)
        case createEvent(String, gallery: String)
        case selectEvent(SetupEvent, gallery: String)
        case usePlace(SetupPlace)
        case takePhoto
        case lookForService
    }

    private enum State: Equatable {
        /// Nothing has been asked yet. Left for the first step.
        case beginning
        case cameras(SetupCameras)
        case pairing(SetupPairing)
        case places(SetupPlaces)
        case photo(SetupPhoto)
        case service(SetupService)
        /// Nothing follows.
        case over
    }

    public private(set) var standing: SetupStanding
    private let steps: [SetupStep]
    private var left: [SetupStep]
    private var state = State.beginning
    private var asked: SetupQuestion?

    /// `steps`: those that are wanted; all where none is named.
    public init(_ standing: SetupStanding, steps: [SetupStep] = []) {
        self.standing = standing
        self.steps = steps.isEmpty ? SetupStep.allCases : SetupStep.allCases.filter(steps.contains)
        left = self.steps
    }

    public mutating func begin() -> [Action] {
        let all = steps == SetupStep.allCases
        let greeting =
            all
            ? "Camera, pairing, where photos go, a test photo, a service: 'skip' leaves a step for later, 'quit' or Ctrl-C ends, "
                + "and what is done stays done."
            : "'skip' leaves this for later, 'quit' or Ctrl-C ends, and what is done stays done."
        return noting([.tell(greeting)] + next())
    }

    public mutating func handle(_ happening: Happening) -> [Action] {
        guard case .answered(let line) = happening else { return noting(pass(.happened(happening))) }
        guard let asked else { preconditionFailure("an answer belongs to a question") }
        guard let answer = asked.answer(line) else { return [.tell(asked.hint), .ask(asked)] }
        self.asked = nil
        switch answer {
        case .quit:
            left = []
            return noting(end(saying: "The setup is left here; \(standing.command("setup")) goes on."))
        case .skip:
            guard let step = current else { preconditionFailure("only a step asks") }
            let word =
                "Left for later: \(step.subject). \(standing.command("setup \(step.rawValue)")) does it."
            return noting([.tell(word)] + next())
        case .yes, .no, .number, .words: return noting(pass(.answered(answer)))
        }
    }

    /// Which step is under way.
    public var current: SetupStep? {
        switch state {
        case .beginning, .over: nil
        case .cameras: .camera
        case .pairing: .pair
        case .places: .destination
        case .photo: .photo
        case .service: .service
        }
    }

    // MARK: Steps

    /// To the step that is under way, and on to the next when it is over.
    private mutating func pass(_ word: SetupWord) -> [Action] {
        switch state {
        case .cameras(var step):
            let actions = step.handle(word, &standing)
            state = .cameras(step)
            return actions + (step.isOver ? next() : [])
        case .pairing(var step):
            let actions = step.handle(word, &standing)
            state = .pairing(step)
            return actions + (step.isOver ? next() : [])
        case .places(var step):
            let actions = step.handle(word, &standing)
            state = .places(step)
            return actions + (step.isOver ? next() : [])
        case .photo(var step):
            let actions = step.handle(word, &standing)
            state = .photo(step)
            return actions + (step.isOver ? next() : [])
        case .service(var step):
            let actions = step.handle(word, &standing)
            state = .service(step)
            return actions + (step.isOver ? next() : [])
        case .beginning, .over: preconditionFailure("nothing is under way")
        }
    }

    private mutating func next() -> [Action] {
        guard !left.isEmpty else { return end() }
        switch left.removeFirst() {
        case .camera: state = .cameras(SetupCameras())
        case .pair: state = .pairing(SetupPairing(again: steps == [.pair]))
        case .destination: state = .places(SetupPlaces())
        case .photo: state = .photo(SetupPhoto())
        case .service: state = .service(SetupService())
        }
        return [.tell("")] + heading + pass(.begin)
    }

    /// Where one is in the whole of it.
    private var heading: [Action] {
        guard let step = current, steps.count > 1 else { return [] }
        let number = steps.count - left.count
        return [.tell("\(number) of \(steps.count): \(step.subject)")]
    }

    /// With what is still missing; each sentence names the command that gives it.
    private mutating func end(saying word: String? = nil) -> [Action] {
        state = .over
        let gates = standing.closedGates
        let last =
            gates.isEmpty
            ? ["\(standing.command("run")) begins; \(standing.command("status")) says how it goes."] : gates
        return [.tell("")] + ([word].compactMap { $0 } + last).map { .tell($0) } + [.end]
    }

    private mutating func noting(_ actions: [Action]) -> [Action] {
        for case .ask(let question) in actions { asked = question }
        return actions
    }
}

/// What a step hears.
enum SetupWord: Equatable, Sendable {
    case begin
    case answered(SetupAnswer)
    case happened(SetupConversation.Happening)

    /// Every step asks for and waits for one thing at a time; another word is the driver's mistake.
    func refuse() -> Never { preconditionFailure("\(self) answers nothing that is under way") }
}

/// A place that photos go to: written into the settings once a small file has arrived there, or at the operator's word.
public struct SetupPlace: Equatable, Sendable {
    /// As it was typed: a folder's path, or an address.
    public var address: String
    /// What the event is called, where the settings are to say it.
    public var event: String?
    /// Instead of those that the settings name.
    public var replaces: Bool
    public var isTried: Bool

    public init(address: String, event: String?, replaces: Bool, isTried: Bool) {
        self.address = address
        self.event = event
        self.replaces = replaces
        self.isTried = isTried
    }
}

/// Who logs in where; the password is asked for where it is sent.
public struct SetupLogin: Equatable, Sendable {
    public var gallery: String
    public var email: String
    /// An account is made first, for a person of this name.
    public var newName: String?
    public var invitation: String?
    /// The operator has agreed to a connection that is not encrypted.
    public var isPlain: Bool

    public init(
        gallery: String, email: String, newName: String? = nil, invitation: String? = nil, isPlain: Bool
    ) {
        self.gallery = gallery
        self.email = email
        self.newName = newName
        self.invitation = invitation
        self.isPlain = isPlain
    }
}
