import Basics

/// Whether and how an event takes photos of its guests, and how far they have used that.
package struct GuestUploadTerms: Equatable, Sendable {
    package var isAllowed = false
    /// Guests see what guests bring when a host has approved it.
    package var isModerated = true
    /// How many of the host's credits guests may spend in this event; nothing for `usual`.
    package var credits: Int?
    package var spent = 0
    /// Photos that wait for the host.
    package var waiting = 0

    /// Where the host has named no number: what a hundred guests bring, and no flood.
    package static let usual = 200
    package static let mostCredits = 1_000_000

    package var limit: Int { credits ?? Self.usual }
    package var isSpent: Bool { spent >= limit }
}

extension GuestUploadTerms {
    /// What the host is told, in the event's own JSON.
    var members: [(key: String, value: JSONValue)] {
        [
            ("allowsGuestUploads", .bool(isAllowed)), ("guestUploadsModerated", .bool(isModerated)),
            ("guestUploadCredits", .optional(credits) { .integer(Int64($0)) }),
            ("guestUploadLimit", .integer(Int64(limit))), ("guestCreditsSpent", .integer(Int64(spent))),
        ]
    }
}

/// What may be said of it; nothing where nothing is said.
package struct GuestUploadWish: Equatable, Sendable {
    package var isAllowed: Bool?
    package var isModerated: Bool?
    package var credits: Int??

    package init() {}

    init(_ fields: inout JSONFields) {
        isAllowed = fields.replacement("allowsGuestUploads", .bool).given
        isModerated = fields.replacement("guestUploadsModerated", .bool).given
        credits =
            fields.change("guestUploadCredits", .integer(0...GuestUploadTerms.mostCredits)).wish
    }
}
