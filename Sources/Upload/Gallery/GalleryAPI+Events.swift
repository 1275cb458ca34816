package import Basics

/// An event as its gallery knows it.
package struct GalleryEvent: Equatable, Sendable {
    package let id: String
    package let name: String
    package let slug: String?
    package let startsAt: Timestamp?
    package let expiresAt: Timestamp?
    /// Photos in it, where the gallery says so.
    package let photos: Int64?

    init(_ value: JSONValue?) throws(GalleryResponseFields.Mismatch) {
        let fields = try GalleryResponseFields(value)
        id = try fields.id("id")
        name = try fields.text("name")
        slug = try fields.optionalText("slug")
        startsAt = try fields.optionalMoment("startsAt")
        expiresAt = try fields.optionalMoment("expiresAt")
        photos =
            fields.has("counts")
            ? try fields.fields("counts").optionalCount("photos") : try fields.optionalCount("photos")
    }
}

extension GalleryAPI {
    /// Events that one account may have here.
    static let mostEvents = 10_000

    package func events(_ token: String) async throws(GalleryError) -> [GalleryEvent] {
        let answer = try await call("GET", "events", token: token)
        return try reading("the events") { () throws(GalleryResponseFields.Mismatch) in
            guard let list = answer.data?.array, list.count <= Self.mostEvents else {
                throw GalleryResponseFields.Mismatch(description: "there is no list of events")
            }
            var events: [GalleryEvent] = []
            for value in list { events.append(try GalleryEvent(value)) }
            return events
        }
    }

    package func createEvent(named name: String, _ token: String) async throws(GalleryError) -> GalleryEvent {
        let answer = try await call("POST", "events", token: token, body: ["name": .string(name)])
        return try reading("the event") { () throws(GalleryResponseFields.Mismatch) in
            try GalleryEvent(answer.data)
        }
    }

    package func event(_ id: String, _ token: String) async throws(GalleryError) -> GalleryEvent {
        let answer = try await call("GET", "events/\(Self.escaped(id))", token: token)
        return try reading("the event") { () throws(GalleryResponseFields.Mismatch) in
            try GalleryEvent(answer.data)
        }
    }
}
