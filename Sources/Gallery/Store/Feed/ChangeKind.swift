/// How a change is kept for the other nodes: what it is about they read where they have a listener to tell.
enum ChangeKind: String, CaseIterable, Sendable {
    case photo
    case photoGone = "gone"
    case photosMoved = "moved"
    case counts
    case reactions
    case access
    case originalsWithdrawn = "withdrawn"
    case originalsGiven = "given"
    case eventDeleted = "deleted"
    case logins

    /// What a node that remembers images of the event has to forget.
    enum Forgets: Int, Comparable, Sendable {
        case nothing = 0
        case images = 1
        case logins = 2

        static func < (left: Forgets, right: Forgets) -> Bool { left.rawValue < right.rawValue }
    }

    var forgets: Forgets {
        switch self {
        case .photo, .photoGone, .access, .originalsWithdrawn, .originalsGiven, .eventDeleted: .images
        case .logins: .logins
        case .photosMoved, .counts, .reactions: .nothing
        }
    }
}

/// A change as a row.
struct ChangeNote: Equatable, Sendable {
    let event: String
    let kind: ChangeKind
    var subject: String?
}

extension GalleryChange {
    /// One for each event that it is about.
    var notes: [ChangeNote] {
        switch self {
        case .photoAdded(let photo, let event), .photoChanged(let photo, let event):
            [ChangeNote(event: event.id, kind: .photo, subject: photo.id)]
        case .photoDeleted(let photo, let event, _):
            [ChangeNote(event: event.id, kind: .photoGone, subject: photo.id)]
        case .photosMoved(let event, _): [ChangeNote(event: event.id, kind: .photosMoved)]
        case .countsChanged(let event, _): [ChangeNote(event: event.id, kind: .counts)]
        case .reactionsChanged(_, let event, _): [ChangeNote(event: event.id, kind: .reactions)]
        case .accessChanged(let event): [ChangeNote(event: event, kind: .access)]
        case .originalsWithdrawn(let event): [ChangeNote(event: event, kind: .originalsWithdrawn)]
        case .originalsGiven(let event): [ChangeNote(event: event, kind: .originalsGiven)]
        case .eventDeleted(let event): [ChangeNote(event: event, kind: .eventDeleted)]
        case .loginsEnded(let events): events.map { ChangeNote(event: $0, kind: .logins) }
        }
    }
}

/// That something has changed in an event, as nodes tell each other: never what, which is for the database to say.
package struct ChangeSign: Hashable, Sendable {
    let event: String
    let forgets: ChangeKind.Forgets

    init(event: String, forgets: ChangeKind.Forgets) {
        self.event = event
        self.forgets = forgets
    }

    /// An event's id and one digit.
    var text: String { "\(event)\(forgets.rawValue)" }

    init?(_ text: Substring) {
        guard text.utf8.count == 37, let digit = text.last?.wholeNumberValue,
            let forgets = ChangeKind.Forgets(rawValue: digit)
        else { return nil }
        self.init(event: String(text.dropLast()), forgets: forgets)
    }

    static func signs(of changes: [GalleryChange]) -> Set<ChangeSign> {
        Set(changes.flatMap(\.notes).map { ChangeSign(event: $0.event, forgets: $0.kind.forgets) })
    }
}
