import Basics
package import Bridge
import HTTPServer

/// What an operator says of a photo on the page. It goes into the bridge's own copy of the gallery, uplink or not.
package struct HudMark: Equatable, Sendable {
    package enum Membership: Equatable, Sendable {
        case added
        case removed
    }

    package var edit = PhotoEdit()
    /// An album by its name, made where there is none.
    package var album: (name: String, membership: Membership)?

    package static func == (one: HudMark, other: HudMark) -> Bool {
        one.edit == other.edit && one.album?.name == other.album?.name
            && one.album?.membership == other.album?.membership
    }

    /// One thing at a time, as a page sends it. A photo is hidden from guests by no slip of a thumb.
    init(_ wish: JSONValue) throws(HudProblem) {
        if let value = wish["rating"] {
            guard let stars = value.integer, let rating = Int(exactly: stars) else { throw Self.unreadable }
            edit.rating = rating
        } else if let value = wish["caption"] {
            edit.caption = try Self.text(value)
        } else if let value = wish["tag"] {
            edit.addedTags = [try Self.text(value)]
        } else if let value = wish["untag"] {
            edit.removedTags = [try Self.text(value)]
        } else if let value = wish["hidden"] {
            guard let isHidden = value.bool else { throw Self.unreadable }
            guard !isHidden || wish["confirmed"]?.bool == true else {
                throw HudProblem(409, "Hiding a photo has to be confirmed.")
            }
            edit.isHidden = isHidden
        } else if let value = wish["album"] {
            album = (try Self.text(value), .added)
        } else if let value = wish["unalbum"] {
            album = (try Self.text(value), .removed)
        } else {
            throw Self.unreadable
        }
        if let objection { throw HudProblem(400, objection) }
    }

    private var objection: String? {
        guard let album else { return RecordEdit.photo(edit).objection }
        return RecordEdit.album(GalleryRecord.Album(event: "", name: album.name)).objection
    }

    private static let unreadable = HudProblem(
        400, "Say one of these: rating, caption, tag, untag, hidden, album, unalbum.")

    private static func text(_ value: JSONValue) throws(HudProblem) -> String {
        guard let text = value.string else { throw unreadable }
        return text
    }
}

/// The copy cannot do what was asked; why, as a sentence.
package struct HudMarkRefused: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

extension HudRoutes {
    var marks: [Route] {
        [
            look("/api/photos/{id}/marks") { request in
                Self.json(try await bridge.marks(of: try await known(request)))
            },
            change("/api/photos/{id}/marks", .act) { request in
                let photo = try await known(request)
                let mark = try HudMark(try Self.wish(request))
                try await Self.taken { try await bridge.mark(photo, mark) }
                return Self.json(try await bridge.marks(of: photo))
            },
            change("/api/edits", .act) { request in
                let wish = try Self.wish(request)
                guard let number = wish["edit"]?.integer, let isAgain = wish["again"]?.bool else {
                    throw HudProblem(
                        400, "Say which edit, and whether it is made again: {\"edit\": 17, \"again\": true}.")
                }
                guard try await bridge.settle(number, again: isAgain) else {
                    throw HudProblem(404, "There is no such edit any more.")
                }
                return Self.json(["settled": .bool(true)])
            },
        ]
    }

    /// A photo of the event that is shown, and of no other.
    private func known(_ request: Request) async throws -> CaptureID {
        let id = try number(request)
        guard try await desk.photo(id) != nil else { throw HudProblem(404, "This event has no photo \(id).") }
        return id
    }

    private static func taken(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let refusal as HudMarkRefused {
            throw HudProblem(409, refusal.description)
        }
    }
}
