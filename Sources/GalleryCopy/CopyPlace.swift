package import Basics
package import Bridge

/// An event at a gallery, and how its copy here stands.
package struct CopyPlace: Equatable, Sendable {
    package let id: CopyPlaceID
    /// The gallery's address in its one spelling.
    package let server: String
    /// The gallery's id of the event.
    package let event: String
    /// Whose log-in the records were told to.
    package var account: String?
    /// Everything up to it has been told.
    package var stamp: Timestamp?
    /// By our clock, as the next two.
    package var syncedAt: Timestamp?
    /// Why there is no exchange at the moment, and since when.
    package var problem: String?
    package var problemAt: Timestamp?
}

package typealias CopyPlaceID = RowID<CopyPlace>

/// Why something cannot be edited, or not so.
package struct CopyObjection: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// An edit that an operator asks for.
package struct EditWish: Equatable, Sendable {
    package let kind: GalleryRecord.Kind
    /// The gallery's id, where it is known.
    package let record: String?
    /// The photo here, where it came by this bridge.
    package let capture: CaptureID?
    package let edit: RecordEdit

    package init(
        _ kind: GalleryRecord.Kind, record: String?, capture: CaptureID? = nil, _ edit: RecordEdit
    ) {
        precondition(record != nil || capture != nil, "an edit is of something")
        self.kind = kind
        self.record = record
        self.capture = capture
        self.edit = edit
    }
}

/// How much waits at a place.
package struct CopyCounts: Equatable, Sendable {
    package var photos: Int
    package var albums: Int
    /// Edits on their way.
    package var waiting: Int
    /// Of those: their photo has not been uploaded yet.
    package var withoutUpload: Int
    /// Of those: dated ahead of the gallery's clock.
    package var ahead: Int
    package var conflicts: Int

    package init(
        photos: Int = 0, albums: Int = 0, waiting: Int = 0, withoutUpload: Int = 0, ahead: Int = 0,
        conflicts: Int = 0
    ) {
        self.photos = photos
        self.albums = albums
        self.waiting = waiting
        self.withoutUpload = withoutUpload
        self.ahead = ahead
        self.conflicts = conflicts
    }
}
