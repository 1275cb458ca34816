import Basics

/// A body that photos of an event were taken with, and its clock.
package struct EventCamera: Equatable, Sendable {
    let id: String
    let make: String
    let model: String
    let serial: String
    /// What its host adds to its clock, in seconds.
    let shift: Int64?
    let photos: Int
    /// As shown, of all its photos that have a time.
    let first: Timestamp?
    let last: Timestamp?
    /// By how many seconds its clock was ahead of UTC when the last of its photos came, where that was measured.
    let clockAhead: Int64?
    /// By how many seconds the last of its photos is taken to be later than its clock said, for whatever reason.
    let correction: Int64?

    /// As much of each name as is kept, in Unicode scalars.
    static let longestName = 200

    static func kept(_ name: String?) -> String {
        String(String.UnicodeScalarView((name ?? "").unicodeScalars.prefix(longestName)))
    }
}
