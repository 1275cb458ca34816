import Bridge
import Testing

/// The first hour, without a camera, a gallery or a terminal.
@Suite struct SetupConversationTests {
    private static let z8 = SetupCamera(
        name: "Nikon Z 8", host: "192.168.1.5", toPress: ["Connect to computer"])
    private static let gallery = "https://gallery.example"
    private static let login = SetupLogin(
        gallery: gallery, email: "ann@example.org", newName: nil, invitation: nil, isPlain: false)
    private static let wedding = SetupEvent(id: "id-1", name: "Wedding")

    /// A home that has everything.
    private static var whole: SetupStanding {
        var standing = SetupStanding()
        standing.cameras = [SetupCamera(name: "Z 8", host: "192.168.1.5", isPaired: true)]
        standing.namesCameras = true
        standing.logins = [gallery]
        standing.event = "Wedding"
        standing.gallery = gallery
        standing.places = [gallery]
        return standing
    }

    @Test("from nothing to a photo in a gallery: every step in its order, and nothing is left open")
    func wholeHour() throws {
        var talk = SetupTalk()
        try talk.play([
            .does(.lookForCameras, comes: .found([Self.z8], advice: [])),
            .asks("Which one?", types: ""),
            .does(.addCamera("192.168.1.5"), comes: .added(Self.z8)),
            .does(.nameCameras, comes: .done),
            .asks("Another camera?", types: ""),
            .asks("Press Enter", types: ""),
            .does(.pair(Self.z8), comes: .paired("Nikon Z 8 6001234")),
            .asks("Number:", types: ""),
            .asks("address", types: "gallery.example"),
            .asks("account", types: "y"),
            .asks("E-mail", types: "ann@example.org"),
            .does(.logIn(Self.login), comes: .loggedIn(Self.gallery)),
            .does(.lookAtConsent(gallery: Self.gallery), comes: .consent(version: "2026-11", isGiven: false)),
            .asks("2026-11", types: "yes"),
            .does(.giveConsent(gallery: Self.gallery), comes: .consent(version: "2026-11", isGiven: true)),
            .does(.lookForEvents(gallery: Self.gallery), comes: .events([])),
            .asks("new one", types: "Wedding"),
            .does(.createEvent("Wedding", gallery: Self.gallery), comes: .events([Self.wedding])),
            .does(.selectEvent(Self.wedding, gallery: Self.gallery), comes: .placed(Self.gallery)),
            .asks("Another place", types: "n"),
            .asks("stays in the event 'Wedding'", types: ""),
            .does(.takePhoto, comes: .done),
            .asks("service", types: "y"),
            .does(.lookForService, comes: .service(["systemctl --user enable --now tetherline.service"])),
        ])
        #expect(talk.hasEnded && talk.conversation.standing.closedGates.isEmpty)
        #expect(talk.conversation.standing.cameras.first?.isPaired == true)
        #expect(talk.text.contains("Connect to computer") && talk.text.contains("systemctl --user"))
        #expect(talk.told.last == "'tetherline run' begins; 'tetherline status' says how it goes.")
    }

    @Test("a folder and a bucket: the event is asked for once, and a place that does not work is corrected")
    func places() throws {
        let bad = SetupPlace(address: "/nowhere/x", event: "Wedding", replaces: false, isTried: true)
        let good = SetupPlace(address: "/media/usb", event: "Wedding", replaces: false, isTried: true)
        let more = SetupPlace(address: "s3://b/w", event: nil, replaces: false, isTried: true)
        let insisted = SetupPlace(address: "s3://b/w", event: nil, replaces: false, isTried: false)
        var talk = SetupTalk(SetupStanding(), [.destination])
        try talk.play([
            .asks("Number:", types: "2"),
            .asks("event called", types: ""),
            .asks("event called", types: "Wedding"),
            .asks("folder", types: "/nowhere/x"),
            .does(.usePlace(bad), comes: .failed("/nowhere/x: it may not be made.")),
            .asks("all the same", types: ""),
            .asks("folder", types: "/media/usb"),
            .does(.usePlace(good), comes: .placed("file:///media/usb")),
            .asks("Another place", types: "y"),
            .asks("Number:", types: "3"),
            .asks("bucket", types: "s3://b/w"),
            .does(.usePlace(more), comes: .failed("there are no keys")),
            .asks("all the same", types: "y"),
            .does(.usePlace(insisted), comes: .placed("s3://b/w")),
            .asks("Another place", types: ""),
        ])
        #expect(talk.hasEnded)
        #expect(talk.conversation.standing.places == ["file:///media/usb", "s3://b/w"])
        #expect(talk.conversation.standing.event == "Wedding" && talk.conversation.standing.gallery == nil)
        #expect(talk.text.contains("it may not be made") && talk.text.contains("there are no keys"))
    }

    @Test("run again, what stands is shown and kept by Enter alone; nothing is done but the photo")
    func again() throws {
        var talk = SetupTalk(Self.whole)
        try talk.play([
            .asks("Camera Z 8 (192.168.1.5) is paired; keep it?", types: ""),
            .asks("Another camera?", types: ""),
            .asks("Photos go to https://gallery.example, into the event 'Wedding'; keep that?", types: ""),
            .asks("Another place", types: ""),
            .asks("Try it with a photo", types: "n"),
            .asks("service", types: ""),
        ])
        #expect(talk.hasEnded && talk.conversation.standing == Self.whole)
    }

    @Test("what stands is taken away or changed where that is said")
    func changed() throws {
        let place = SetupPlace(address: "/media/usb", event: "Match", replaces: true, isTried: true)
        var talk = SetupTalk(Self.whole, [.camera, .destination])
        try talk.play([
            .asks("keep it?", types: "n"),
            .does(.removeCamera(Self.whole.cameras[0]), comes: .done),
            .does(.lookForCameras, comes: .found([], advice: ["Its Wi-Fi menu"])),
            .asks("address", types: "192.168.1.9"),
            .does(.addCamera("192.168.1.9"), comes: .added(SetupCamera(name: "x", host: "192.168.1.9"))),
            .asks("Another camera?", types: "n"),
            .asks("keep that?", types: "n"),
            .asks("Number:", types: "2"),
            .asks("event called", types: "Match"),
            .asks("folder", types: "/media/usb"),
            .does(.usePlace(place), comes: .placed("file:///media/usb")),
            .asks("Another place", types: "n"),
        ])
        let standing = talk.conversation.standing
        #expect(standing.cameras.map(\.host) == ["192.168.1.9"] && standing.places == ["file:///media/usb"])
        #expect(standing.event == "Match" && standing.gallery == nil)
        #expect(talk.text.contains("Its Wi-Fi menu") && talk.text.contains("tetherline destination remove"))
    }

    @Test(
        "every step is left for later by 'skip', and the end names the command of every gate that is closed")
    func skipped() throws {
        var standing = SetupStanding()
        standing.homeOption = " --home /srv/t"
        var talk = SetupTalk(standing)
        try talk.play([
            .does(.lookForCameras, comes: .found([], advice: [])),
            .asks("address", types: "skip"),
            .asks("Number:", types: "s"),
            .asks("service", types: "skip"),
        ])
        #expect(talk.hasEnded)
        for step in ["camera", "destination", "service"] {
            #expect(talk.text.contains("'tetherline setup \(step) --home /srv/t' does it"), "\(talk.text)")
        }
        let gates = talk.conversation.standing.closedGates
        #expect(gates.count == 3 && Array(talk.told.suffix(3)) == gates)
        #expect(gates.allSatisfy { $0.contains("'tetherline setup ") })
    }

    @Test("'quit' ends at any question, and says how to go on")
    func quits() throws {
        var talk = SetupTalk(Self.whole)
        try talk.play([.asks("keep it?", types: "quit")])
        #expect(talk.hasEnded && talk.text.contains("'tetherline setup' goes on"))
    }

    @Test(
        "an answer that is none is asked for again, with what may be typed",
        arguments: [
            ("Which one?", "0"), ("Which one?", "3"), ("Which one?", String(repeating: "9", count: 1001)),
        ])
    func unclear(question: String, line: String) throws {
        var talk = SetupTalk()
        try talk.play([
            .does(.lookForCameras, comes: .found([Self.z8, Self.z8], advice: [])),
            .asks(question, types: line), .asks(question, types: "q"),
        ])
        #expect(talk.text.contains("'skip'") && talk.text.contains("from 1 to 2"))
        var other = SetupTalk(Self.whole)
        try other.play([.asks("keep it?", types: "maybe"), .asks("keep it?", types: "q")])
        #expect(other.text.contains("'y' or 'n'"))
    }

    @Test("one letter leaves a step only where no name is asked for")
    func letters() throws {
        var talk = SetupTalk(SetupStanding(), [.destination])
        let place = SetupPlace(address: "q", event: "s", replaces: false, isTried: true)
        try talk.play([
            .asks("Number:", types: "2"), .asks("event called", types: "s"), .asks("folder", types: "q"),
            .does(.usePlace(place), comes: .unclear("'q' is no path")), .asks("folder", types: "quit"),
        ])
        #expect(talk.hasEnded && talk.text.contains("'q' is no path"))
    }

    @Test("a camera that is mistyped is told, and asked for again; 'again' looks once more")
    func mistyped() throws {
        var talk = SetupTalk(SetupStanding(), [.camera])
        try talk.play([
            .does(.lookForCameras, comes: .found([Self.z8], advice: [])),
            .asks("Which one?", types: "Z 9"),
            .does(.addCamera("Z 9"), comes: .failed("No camera is called 'Z 9'. Did you mean 'Z 8'?")),
            .asks("Which one?", types: "again"),
            .does(.lookForCameras, comes: .failed("there is no network")),
            .asks("address", types: ""),
            .does(.lookForCameras, comes: .found([], advice: ["help"])),
            .asks("address", types: "skip"),
        ])
        #expect(talk.text.contains("Did you mean 'Z 8'?") && talk.text.contains("there is no network"))
    }

    @Test(
        "pairing is tried as often as the operator wants; what is paired is asked about where only that was wanted"
    )
    func pairing() throws {
        var standing = SetupStanding()
        standing.cameras = [Self.z8]
        var talk = SetupTalk(standing, [.pair])
        try talk.play([
            .asks("Press Enter", types: ""),
            .does(.pair(Self.z8), comes: .failed("it was not confirmed")),
            .asks("Try again?", types: ""),
            .does(.pair(Self.z8), comes: .failed("it was not confirmed")),
            .asks("Try again?", types: "n"),
        ])
        #expect(talk.hasEnded && talk.conversation.standing.cameras.first?.isPaired == false)
        #expect(talk.text.contains("'tetherline setup pair' tries again"))
        var paired = SetupTalk(Self.whole, [.pair])
        try paired.play([
            .asks("is paired; keep it so?", types: "n"), .asks("Press Enter", types: ""),
            .does(.pair(Self.whole.cameras[0]), comes: .paired("Z 8")),
        ])
        #expect(paired.hasEnded)
        let none = SetupTalk(SetupStanding(), [.pair])
        #expect(none.hasEnded && none.text.contains("'tetherline setup camera' finds one"))
    }
}
