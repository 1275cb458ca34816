import Bridge
import Testing

/// A gallery as the place that photos go to, in a conversation.
@Suite struct SetupGalleryTests {
    private static let gallery = "https://gallery.example"
    private static let one = SetupEvent(id: "id-1", name: "Wedding")
    private static let two = SetupEvent(id: "id-2", name: "Wedding")
    private static let match = SetupEvent(id: "id-3", name: "Match")

    private static func standing() -> SetupStanding {
        var standing = SetupStanding()
        standing.logins = [gallery]
        return standing
    }

    /// Up to the choice of an event, logged in and agreed.
    private static let entered: [SetupTalk.Turn] = [
        .asks("Number:", types: "1"), .asks("You are logged in at https://gallery.example", types: ""),
        .does(.lookAtConsent(gallery: gallery), comes: .consent(version: "1", isGiven: true)),
    ]

    @Test("an event is chosen by its number or its name; of two with one name only the number tells which")
    func events() throws {
        let all: SetupConversation.Happening = .events([Self.one, Self.two, Self.match])
        var talk = SetupTalk(Self.standing(), [.destination])
        try talk.play(
            Self.entered + [
                .does(.lookForEvents(gallery: Self.gallery), comes: all),
                .asks("Which event?", types: "Wedding"),
                .asks("Which event?", types: "4"),
                .asks("Which event?", types: "2"),
                .does(.selectEvent(Self.two, gallery: Self.gallery), comes: .placed(Self.gallery)),
                .asks("Another place", types: "n"),
            ])
        #expect(talk.hasEnded && talk.text.contains("2 events are called so"))
        var named = SetupTalk(Self.standing(), [.destination])
        try named.play(
            Self.entered + [
                .does(.lookForEvents(gallery: Self.gallery), comes: all),
                .asks("Which event?", types: "Match"),
                .does(.selectEvent(Self.match, gallery: Self.gallery), comes: .placed(Self.gallery)),
                .asks("Another place", types: "n"),
            ])
        #expect(named.conversation.standing.event == "Match")
    }

    @Test(
        "terms are agreed to by a yes and by nothing else; without it the setup goes on and names the command"
    )
    func consent() throws {
        var talk = SetupTalk(Self.standing(), [.destination])
        try talk.play([
            .asks("Number:", types: ""), .asks("logged in at", types: ""),
            .does(.lookAtConsent(gallery: Self.gallery), comes: .consent(version: "7", isGiven: false)),
            .asks("version 7", types: ""),
            .does(.lookForEvents(gallery: Self.gallery), comes: .failed("it did not answer")),
            .asks("Try that again", types: "n"),
            .asks("Number:", types: "skip"),
        ])
        #expect(talk.text.contains("'tetherline consent --give'") && talk.text.contains("it did not answer"))
    }

    @Test("what one agrees to is shown before the question; where the gallery does not show it, that is said")
    func terms() throws {
        var talk = SetupTalk(Self.standing(), [.destination])
        try talk.play([
            .asks("Number:", types: ""), .asks("logged in at", types: ""),
            .does(
                .lookAtConsent(gallery: Self.gallery),
                comes: .consent(version: "7", terms: ["Guests see them.", "Ask Ann."], isGiven: false)),
        ])
        #expect(talk.question?.text.contains("version 7") == true)
        #expect(talk.text.contains("Guests see them.\nAsk Ann.") && !talk.text.contains("does not show"))
        var silent = SetupTalk(Self.standing(), [.destination])
        try silent.play([
            .asks("Number:", types: ""), .asks("logged in at", types: ""),
            .does(.lookAtConsent(gallery: Self.gallery), comes: .consent(version: "7", isGiven: false)),
        ])
        #expect(silent.text.contains("does not show what its terms say"))
    }

    @Test(
        "a way that is not encrypted is used only when that was agreed to; a wrong password is asked for again"
    )
    func logIn() throws {
        let login = SetupLogin(
            gallery: "http://10.0.0.2:8080", email: "ann@example.org", newName: nil, invitation: nil,
            isPlain: true)
        let consent = SetupConversation.Work.lookAtConsent(gallery: "http://10.0.0.2:8080")
        var talk = SetupTalk(SetupStanding(), [.destination])
        try talk.play([
            .asks("Number:", types: "1"),
            .asks("address", types: "http://10.0.0.2:8080"), .asks("not encrypted", types: ""),
            .asks("address", types: "http://10.0.0.2:8080"), .asks("not encrypted", types: "y"),
            .asks("account", types: ""), .asks("E-mail", types: "ann@example.org"),
            .does(.logIn(login), comes: .failed("the address or the password is wrong")),
            .asks("Try again?", types: ""), .asks("account", types: ""), .asks("E-mail", types: ""),
            .does(.logIn(login), comes: .loggedIn("http://10.0.0.2:8080")),
            .does(consent, comes: .consent(version: "1", isGiven: true)),
        ])
        #expect(talk.conversation.standing.logins == ["http://10.0.0.2:8080"])
    }

    @Test("without an account one is made, with a name and perhaps an invitation")
    func register() throws {
        let login = SetupLogin(
            gallery: Self.gallery, email: "bob@example.org", newName: "Bob", invitation: "abc", isPlain: false
        )
        var talk = SetupTalk(SetupStanding(), [.destination])
        try talk.play([
            .asks("Number:", types: "1"), .asks("address", types: Self.gallery), .asks("account", types: "n"),
            .asks("E-mail", types: "bob@example.org"), .asks("Your name", types: ""),
            .asks("Your name", types: "Bob"), .asks("invitation", types: "abc"),
            .does(.logIn(login), comes: .loggedIn(Self.gallery)),
        ])
        #expect(talk.conversation.standing.logins == [Self.gallery])
    }
}
