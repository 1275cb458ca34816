import Basics

/// A gallery as the place that photos go to: logged in, its terms agreed to, an event of it chosen.
struct SetupGallery: Equatable, Sendable {
    private enum State: Equatable {
        case beginning
        /// Whether the gallery that there is a log-in at is meant.
        case keeping(String, rest: [String])
        case namingServer
        /// Whether a connection may be plain.
        case allowingPlain(String)
        case askingForAccount(SetupLogin)
        case namingEmail(SetupLogin)
        case namingPerson(SetupLogin)
        case namingInvitation(SetupLogin)
        case loggingIn(SetupLogin)
        case askingToRetry(SetupLogin)
        case lookingAtConsent(String)
        case consenting(String)
        case givingConsent(String)
        case lookingForEvents(String)
        /// Something at this gallery was in vain; whether it is tried again.
        case askingToGoOn(String)
        case choosingEvent(String, [SetupEvent])
        case creating(String)
        case selecting(SetupEvent, String)
        case over(isDone: Bool)
    }

    private var state = State.beginning
    var isOver: Bool { if case .over = state { true } else { false } }
    /// Photos go there now.
    var isDone: Bool { state == .over(isDone: true) }

    mutating func begin(_ standing: SetupStanding) -> [SetupConversation.Action] { keep(standing.logins) }

    mutating func handle(_ word: SetupWord, _ standing: inout SetupStanding) -> [SetupConversation.Action] {
        switch word {
        case .answered(let answer): return answered(answer, standing)
        case .happened(.failed(let problem)): return [.tell(problem)] + failed(standing)
        case .happened(let happening): return happened(happening, &standing)
        case .begin: word.refuse()
        }
    }

    // MARK: What is answered

    private mutating func answered(
        _ answer: SetupAnswer, _ standing: SetupStanding
    ) -> [SetupConversation.Action] {
        switch (state, answer) {
        case (.keeping(let gallery, let rest), _):
            return answer == .yes ? lookAtConsent(gallery) : keep(rest)
        case (.namingServer, .words(let text)): return named(text)
        case (.allowingPlain(let gallery), _):
            guard answer == .yes else { return nameServer() }
            return askForAccount(SetupLogin(gallery: gallery, email: "", isPlain: true))
        case (.askingForAccount(var login), _):
            login.newName = answer == .yes ? nil : ""
            return askForEmail(login)
        case (.namingEmail(var login), .words(let email)):
            guard !email.isEmpty else { return askForEmail(login) }
            login.email = email
            return login.newName == nil ? logIn(login) : askForName(login)
        case (.namingPerson(var login), .words(let name)):
            guard !name.isEmpty else { return askForName(login) }
            login.newName = name
            state = .namingInvitation(login)
            let text = "The invitation that you were given (Enter where there is none):"
            return [.ask(SetupQuestion(text, .words(usual: nil)))]
        case (.namingInvitation(var login), .words(let code)):
            login.invitation = code.isEmpty ? nil : code
            return logIn(login)
        case (.askingToRetry(let login), _): return answer == .yes ? askForAccount(login) : nameServer()
        case (.consenting(let gallery), _):
            if answer == .yes {
                state = .givingConsent(gallery)
                return [.perform(.giveConsent(gallery: gallery))]
            }
            let later = standing.command("consent --give")
            return [.tell("It takes no photo until you agree; \(later) does that later.")]
                + lookForEvents(gallery)
        case (.askingToGoOn(let gallery), _): return answer == .yes ? lookAtConsent(gallery) : over()
        case (.choosingEvent(let gallery, let events), .number(let number)):
            return select(events[number - 1], gallery)
        case (.choosingEvent(let gallery, let events), .words(let name)):
            return choose(name, of: events, gallery)
        default: SetupWord.answered(answer).refuse()
        }
    }

    private mutating func named(_ text: String) -> [SetupConversation.Action] {
        guard !text.isEmpty else { return nameServer() }
        // Of this machine either may be meant: who logs in there finds out.
        let gallery = text.contains("://") || LoopbackHost.begins(text) ? text : "https://\(text)"
        guard gallery.hasPrefix("http://") else {
            return askForAccount(SetupLogin(gallery: gallery, email: "", isPlain: false))
        }
        state = .allowingPlain(gallery)
        let text = "The way there is not encrypted: who is on it can read your password. Use it all the same?"
        return [.ask(SetupQuestion(text, .yesOrNo(usual: false)))]
    }

    /// A number was none of the list's, so that it is a name, or the name of a new event.
    private mutating func choose(
        _ name: String, of events: [SetupEvent], _ gallery: String
    ) -> [SetupConversation.Action] {
        guard (1...200).contains(name.count) else { return ask(among: events, gallery) }
        let same = events.filter { $0.name == name }
        if same.count == 1 { return select(same[0], gallery) }
        guard same.isEmpty else {
            return [.tell("\(same.count) events are called so: say which by its number.")]
                + ask(among: events, gallery)
        }
        state = .creating(gallery)
        return [.perform(.createEvent(name, gallery: gallery))]
    }

    // MARK: What happens

    private mutating func happened(
        _ happening: SetupConversation.Happening, _ standing: inout SetupStanding
    ) -> [SetupConversation.Action] {
        switch (state, happening) {
        case (.loggingIn, .loggedIn(let gallery)):
            if !standing.logins.contains(gallery) { standing.logins.append(gallery) }
            return lookAtConsent(gallery)
        case (.lookingAtConsent(let gallery), .consent(let version, let terms, let isGiven)),
            (.givingConsent(let gallery), .consent(let version, let terms, let isGiven)):
            if isGiven { return lookForEvents(gallery) }
            state = .consenting(gallery)
            let text =
                "\(gallery) takes photos from those who agree to its terms (version \(version)). Do you?"
            let none = [
                "\(gallery) does not show what its terms say; ask its host where you do not know them."
            ]
            return (terms.isEmpty ? none : ["The terms of \(gallery):", ""] + terms + [""]).map { .tell($0) }
                + [.ask(SetupQuestion(text, .yesOrNo(usual: false)))]
        case (.lookingForEvents(let gallery), .events(let events)):
            let rows = events.enumerated().map { "  \($0.offset + 1)  \($0.element.name)" }
            return rows.map { .tell($0) } + ask(among: events, gallery)
        case (.creating(let gallery), .events(let made)):
            guard let event = made.first else { preconditionFailure("the event that was made is told") }
            return select(event, gallery)
        case (.selecting(let event, let gallery), .placed(let url)):
            (standing.event, standing.gallery) = (event.name, gallery)
            if !standing.places.contains(url) { standing.places.append(url) }
            state = .over(isDone: true)
            return [.tell("Photos go into the event '\(event.name)' at \(gallery).")]
        default: SetupWord.happened(happening).refuse()
        }
    }

    private mutating func failed(_ standing: SetupStanding) -> [SetupConversation.Action] {
        switch state {
        case .loggingIn(let login):
            state = .askingToRetry(login)
            return [.ask(SetupQuestion("Try again?", .yesOrNo(usual: true)))]
        case .lookingAtConsent(let gallery), .givingConsent(let gallery), .lookingForEvents(let gallery),
            .creating(let gallery), .selecting(_, let gallery):
            state = .askingToGoOn(gallery)
            return [.ask(SetupQuestion("Try that again at \(gallery)?", .yesOrNo(usual: true)))]
        case .beginning, .keeping, .namingServer, .allowingPlain, .askingForAccount, .namingEmail,
            .namingPerson,
            .namingInvitation, .askingToRetry, .consenting, .askingToGoOn, .choosingEvent, .over:
            preconditionFailure("only what is under way can fail")
        }
    }

    // MARK: Steps

    private mutating func keep(_ logins: [String]) -> [SetupConversation.Action] {
        guard let gallery = logins.first else { return nameServer() }
        state = .keeping(gallery, rest: Array(logins.dropFirst()))
        return [.ask(SetupQuestion("You are logged in at \(gallery); use that one?", .yesOrNo(usual: true)))]
    }

    private mutating func nameServer() -> [SetupConversation.Action] {
        state = .namingServer
        return [
            .ask(SetupQuestion("The gallery's address, such as https://gallery.example:", .words(usual: nil)))
        ]
    }

    private mutating func askForAccount(_ login: SetupLogin) -> [SetupConversation.Action] {
        state = .askingForAccount(login)
        return [.ask(SetupQuestion("Do you have an account there?", .yesOrNo(usual: true)))]
    }

    private mutating func askForEmail(_ login: SetupLogin) -> [SetupConversation.Action] {
        state = .namingEmail(login)
        let usual = login.email.isEmpty ? nil : login.email
        return [.ask(SetupQuestion("E-mail:", .words(usual: usual)))]
    }

    private mutating func askForName(_ login: SetupLogin) -> [SetupConversation.Action] {
        state = .namingPerson(login)
        return [.ask(SetupQuestion("Your name, as the gallery shows it:", .words(usual: nil)))]
    }

    private mutating func logIn(_ login: SetupLogin) -> [SetupConversation.Action] {
        state = .loggingIn(login)
        return [.perform(.logIn(login))]
    }

    private mutating func lookAtConsent(_ gallery: String) -> [SetupConversation.Action] {
        state = .lookingAtConsent(gallery)
        return [.perform(.lookAtConsent(gallery: gallery))]
    }

    private mutating func lookForEvents(_ gallery: String) -> [SetupConversation.Action] {
        state = .lookingForEvents(gallery)
        return [.perform(.lookForEvents(gallery: gallery))]
    }

    private mutating func ask(among events: [SetupEvent], _ gallery: String) -> [SetupConversation.Action] {
        state = .choosingEvent(gallery, events)
        guard !events.isEmpty else {
            return [
                .ask(SetupQuestion("There is no event yet. What is the new one called?", .words(usual: nil)))
            ]
        }
        return [
            .ask(
                SetupQuestion(
                    "Which event? Its number, or the name of a new one:",
                    .oneOf(events.count, usual: nil, orWords: true)))
        ]
    }

    private mutating func select(_ event: SetupEvent, _ gallery: String) -> [SetupConversation.Action] {
        state = .selecting(event, gallery)
        return [.perform(.selectEvent(event, gallery: gallery))]
    }

    private mutating func over() -> [SetupConversation.Action] {
        state = .over(isDone: false)
        return []
    }
}
