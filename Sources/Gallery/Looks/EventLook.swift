import Basics

/// What a host has given an event of its own to look like.
package struct EventLook: Equatable, Sendable {
    /// The id of a photo that guests see at this moment; nothing as long as the one that was chosen is hidden or deleted.
    package var cover: String?
    /// As it was picked. Pages use what is readable of it: see ``AccentShades``.
    package var accent: RGBColour?
    package var theme = Theme.auto
    package var typeface = Typeface.classic
    package var logo: EventLogo?

    package init() {}

    /// Light or dark, whatever the guests' devices are set to, or as they are.
    package enum Theme: String, CaseIterable, Sendable {
        case light, dark, auto
    }

    /// Whether pages look different by it from those of an event for which nothing was chosen.
    var hasSheet: Bool { accent != nil || theme != .auto || typeface != .classic }
}

/// A logo as it lies in the storage: a PNG that was made here of what its host sent.
package struct EventLogo: Equatable, Sendable {
    /// Another one with each logo, so that what lies under it never changes.
    package let key: String
    package let size: UInt64
    package let width: Int
    package let height: Int

    static let type = "image/png"
    /// Of the longer side, in pixels: enough for a header of twice 256 on a fine screen.
    package static let edge = 512
    /// Of what is sent.
    package static let mostBytes = 1 << 20
    package static let longestSide = 4096
    package static let types = ["image/png", "image/jpeg"]
}

/// What may be said of a look; nothing where nothing is said, `.some(nil)` where it is taken away.
package struct LookWish: Equatable, Sendable {
    package var cover: String??
    package var accent: RGBColour??
    package var theme: EventLook.Theme?
    package var typeface: Typeface?

    package init() {}

    var isEmpty: Bool { self == LookWish() }
}

extension LookWish {
    /// Of a request that makes or changes an event.
    init(_ fields: inout JSONFields) {
        cover = fields.change("coverPhoto", .uuid).wish
        accent = fields.change("accent", .colour).wish
        theme = fields.replacement("theme", .word(EventLook.Theme.self, "light, dark or auto")).given
        typeface = fields.replacement("typeface", .word(Typeface.self, Typeface.names)).given
    }
}

extension FieldRule where Value == RGBColour {
    static var colour: FieldRule {
        FieldRule(.black) { (json) throws(Breach) in
            guard let colour = json.string.flatMap(RGBColour.init) else {
                throw Breach("must be a colour such as #8a3b4a")
            }
            return colour
        }
    }
}

extension EventLook {
    /// As the API says it of an event. `path` is where the event's page is.
    func members(_ path: String) -> [(key: String, value: JSONValue)] {
        [
            ("coverPhoto", cover.json), ("accent", (accent?.text).json), ("theme", .string(theme.rawValue)),
            ("typeface", .string(typeface.rawValue)),
            (
                "logo",
                .optional(logo) { logo in
                    [
                        "url": .string(logo.address(at: path)), "width": .integer(Int64(logo.width)),
                        "height": .integer(Int64(logo.height)),
                    ]
                }
            ),
        ]
    }
}

extension EventLogo {
    /// Where any client has it that may read the event's name.
    func address(at path: String) -> String { "\(path)/logo/\(key)" }
}
