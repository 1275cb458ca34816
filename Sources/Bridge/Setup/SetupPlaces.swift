/// Where photos go, and what the event is called: a gallery, a folder, a bucket, a server.
struct SetupPlaces: Equatable, Sendable {
    enum Kind: Int, CaseIterable {
        case gallery = 1
        case folder
        case bucket
        case server

        var row: String {
            switch self {
            case .gallery: "a gallery: guests see photos on their phones"
            case .folder: "a folder: a disk, a stick, or a share that is mounted"
            case .bucket: "a bucket: S3"
            case .server: "a server: WebDAV, SFTP or FTP"
            }
        }

        var question: String {
            switch self {
            case .gallery: ""
            case .folder: "Which folder? Its whole path, such as /media/usb/wedding:"
            case .bucket:
                "Which bucket? s3://bucket/folder, and behind it ?endpoint=https://host&region=R where it is not Amazon's:"
            case .server:
                "Which server? webdavs://user@host/folder, sftp://user@host/folder or ftp://user@host/folder:"
            }
        }
    }

    private enum State: Equatable {
        case beginning
        /// Whether the places that there are stay.
        case keeping
        case choosing
        case gallery(SetupGallery)
        case namingEvent(Kind)
        case namingPlace(Kind, event: String?)
        /// It is tried, and written into the settings when it works.
        case placing(Kind, SetupPlace)
        /// It did not work; whether it is taken all the same.
        case insisting(Kind, SetupPlace)
        case askingForMore
        case over
    }

    private var state = State.beginning
    /// What the settings name goes.
    private var replaces = false
    /// The event stays what it is: only one more place is added.
    private var addsOnly = false
    var isOver: Bool { state == .over }

    mutating func handle(_ word: SetupWord, _ standing: inout SetupStanding) -> [SetupConversation.Action] {
        switch (state, word) {
        case (.beginning, .begin): return begin(standing)
        case (.keeping, .answered(let answer)):
            addsOnly = answer == .yes
            replaces = !addsOnly
            return addsOnly ? askForMore() : choose(saying: Self.eventsKeepPlaces(standing))
        case (.choosing, .answered(.number(let number))):
            guard let kind = Kind(rawValue: number) else { preconditionFailure("as many were offered") }
            return chosen(kind, standing)
        case (.gallery(var step), _):
            let actions = step.handle(word, &standing)
            state = .gallery(step)
            guard step.isOver else { return actions }
            if step.isDone { (addsOnly, replaces) = (true, false) }
            return actions + (step.isDone ? askForMore() : choose())
        case (.namingEvent(let kind), .answered(.words(let name))):
            guard (1...200).contains(name.count) else {
                return [.tell("An event's name has from 1 to 200 characters.")] + askForEvent(kind, standing)
            }
            return namePlace(kind, event: name)
        case (.namingPlace(let kind, let event), .answered(.words(let address))):
            guard !address.isEmpty else { return namePlace(kind, event: event) }
            let place = SetupPlace(address: address, event: event, replaces: replaces, isTried: true)
            state = .placing(kind, place)
            return [.perform(.usePlace(place))]
        case (.placing(_, let place), .happened(.placed(let url))): return placed(url, place, &standing)
        case (.placing(let kind, let place), .happened(.unclear(let problem))):
            return [.tell(problem)] + namePlace(kind, event: place.event)
        case (.placing(let kind, let place), .happened(.failed(let problem))):
            state = .insisting(kind, place)
            let question = SetupQuestion("Take it all the same, and mend that later?", .yesOrNo(usual: false))
            return [.tell(problem), .ask(question)]
        case (.insisting(let kind, var place), .answered(let answer)):
            guard answer == .yes else { return namePlace(kind, event: place.event) }
            place.isTried = false
            state = .placing(kind, place)
            return [.perform(.usePlace(place))]
        case (.askingForMore, .answered(let answer)):
            guard answer == .yes else {
                state = .over
                return []
            }
            return choose()
        default: word.refuse()
        }
    }

    private mutating func begin(_ standing: SetupStanding) -> [SetupConversation.Action] {
        guard !standing.places.isEmpty, let event = standing.event else { return choose() }
        state = .keeping
        return [
            .ask(
                SetupQuestion(
                    "Photos go to \(standing.places.joined(separator: " and ")), into the event '\(event)'; keep that?",
                    .yesOrNo(usual: true)))
        ]
    }

    /// What the settings say no more stands in the ledger of an event that has had photos.
    private static func eventsKeepPlaces(_ standing: SetupStanding) -> String {
        "An event keeps the places that it had: \(standing.command("destination list")) shows them, "
            + "\(standing.command("destination remove")) takes one away."
    }

    private mutating func choose(saying word: String? = nil) -> [SetupConversation.Action] {
        state = .choosing
        let rows = ["Where do photos go?"] + Kind.allCases.map { "  \($0.rawValue)  \($0.row)" }
        let question = SetupQuestion("Number:", .oneOf(Kind.allCases.count, usual: 1, orWords: false))
        return ([word].compactMap { $0 } + rows).map { .tell($0) } + [.ask(question)]
    }

    private mutating func chosen(_ kind: Kind, _ standing: SetupStanding) -> [SetupConversation.Action] {
        if kind == .gallery {
            var step = SetupGallery()
            let actions = step.begin(standing)
            state = .gallery(step)
            return actions
        }
        return addsOnly ? namePlace(kind, event: nil) : askForEvent(kind, standing)
    }

    private mutating func askForEvent(
        _ kind: Kind, _ standing: SetupStanding
    ) -> [SetupConversation.Action] {
        state = .namingEvent(kind)
        // An event of a gallery is that gallery's.
        let usual = standing.gallery == nil ? standing.event : nil
        return [.ask(SetupQuestion("What is the event called?", .words(usual: usual)))]
    }

    private mutating func namePlace(_ kind: Kind, event: String?) -> [SetupConversation.Action] {
        state = .namingPlace(kind, event: event)
        return [.ask(SetupQuestion(kind.question, .words(usual: nil)))]
    }

    private mutating func placed(
        _ url: String, _ place: SetupPlace, _ standing: inout SetupStanding
    ) -> [SetupConversation.Action] {
        if place.replaces { standing.places = [] }
        if let event = place.event { (standing.event, standing.gallery) = (event, nil) }
        if !standing.places.contains(url) { standing.places.append(url) }
        (addsOnly, replaces) = (true, false)
        return [.tell("Photos go to \(url).")] + askForMore()
    }

    private mutating func askForMore() -> [SetupConversation.Action] {
        state = .askingForMore
        return [.ask(SetupQuestion("Another place as well?", .yesOrNo(usual: false)))]
    }
}
