package import Basics

/// A part of an event's photos, as guests see it: an album that has at least one photo that they see.
package struct Section: Equatable, Sendable {
    package let id: String
    package let name: String
    /// Those that guests see.
    package let photos: Int

    package var json: JSONValue {
        ["id": .string(id), "name": .string(name), "photos": .integer(Int64(photos))]
    }
}
