package import Basics
package import Imaging

/// What guests learn of an event.
package struct PageEvent: Equatable, Sendable {
    package var name: String
    package var slug: String
    /// What clocks show then where the event is, read as if it were UTC.
    package var startsAt: Timestamp?
    /// The day on which it ends, the same way, where that is soon.
    package var lastDay: Timestamp?
    /// How many photos guests may see: without those that are hidden or deleted.
    package var photos: Int
    /// The whole address that a phone can open: "https://photos.example.org/e/anna-and-ben".
    package var guestURL: String
    /// All who have its address may look.
    package var isOpen: Bool
    /// Its guests may give hearts or write comments.
    package var takesReactions: Bool
    /// Its guests may bring photos.
    package var takesUploads: Bool
    package var look: PageLook

    package init(
        name: String, slug: String, startsAt: Timestamp? = nil, lastDay: Timestamp? = nil, photos: Int,
        guestURL: String,
        isOpen: Bool = false, takesReactions: Bool = false, takesUploads: Bool = false,
        look: PageLook = PageLook()
    ) {
        self.takesUploads = takesUploads
        self.takesReactions = takesReactions
        self.name = name
        self.slug = slug
        self.startsAt = startsAt
        self.lastDay = lastDay
        self.photos = photos
        self.guestURL = guestURL
        self.isOpen = isOpen
        self.look = look
    }

    /// Where the page is.
    var path: String { "/e/\(PercentEncoding.encoded(slug))" }

    /// "21 November 2026".
    func day(in words: Words) -> String? {
        startsAt.map { words.date(CivilTime(secondsSince1970: $0.seconds)) }
    }
}

/// One photo as guests see it: the same in the page, in the list that the page asks for, and in live messages.
package struct PagePhoto: Equatable, Sendable {
    package var id: String
    package var sequence: Int64
    package var caption: String
    package var tags: [String]
    package var capturedAt: Timestamp?
    /// By how many minutes clocks were ahead of UTC where it was taken.
    package var capturedOffset: Int?
    /// What clocks in the event's zone showed then, read as if it were UTC: what guests see and search for.
    package var shownAt: Timestamp?
    /// Where it stands in the list: what is older is asked for by it.
    package var position: String
    package var width: Int
    package var height: Int
    package var thumbWidth: Int
    package var thumbHeight: Int
    package var thumbKey: String
    /// Nothing where there is none between the thumb and what fills a screen.
    package var tile: Photo.Tile?
    /// Nothing of photos from before there were any.
    package var placeholder: Placeholder?
    package var screenKey: String
    /// Nil unless the event gives originals to its guests.
    package var originalKey: String?
    package var addresses: ImageAddresses
    /// Under which the original is saved; what fills a screen has the same with another ending.
    package var filename: String
    /// Nothing of one that stands still.
    package var video: PageVideo?
    /// As the guest who brought it calls themselves, where one has said so.
    package var guestName: String?

    package init(
        id: String, sequence: Int64, caption: String = "", tags: [String] = [], capturedAt: Timestamp? = nil,
        capturedOffset: Int? = nil, shownAt: Timestamp? = nil, position: String = "", width: Int, height: Int,
        thumbWidth: Int, thumbHeight: Int, thumbKey: String, screenKey: String,
        originalKey: String? = nil, addresses: ImageAddresses = ImageAddresses(), filename: String = "",
        video: PageVideo? = nil,
        guestName: String? = nil, tile: Photo.Tile? = nil, placeholder: Placeholder? = nil
    ) {
        self.tile = tile
        self.placeholder = placeholder
        self.guestName = guestName
        self.id = id
        self.sequence = sequence
        self.caption = caption
        self.tags = tags
        self.capturedAt = capturedAt
        self.capturedOffset = capturedOffset
        self.shownAt = shownAt
        self.position = position
        self.width = width
        self.height = height
        self.thumbWidth = thumbWidth
        self.thumbHeight = thumbHeight
        self.thumbKey = thumbKey
        self.screenKey = screenKey
        self.originalKey = originalKey
        self.addresses = addresses
        self.filename = filename
        self.video = video
    }

    /// An element of `GET /e/{slug}/photos`, and the data of a live `photo` message.
    package var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("id", .string(id)), ("sequence", .integer(sequence)), ("caption", .string(caption)),
            ("tags", .array(tags.map(JSONValue.string))),
            ("capturedAt", capturedAt.json),
            ("capturedOffset", .optional(capturedOffset) { .integer(Int64($0)) }),
            ("localTime", shownAt.local), ("position", .string(position)), ("filename", .string(filename)),
            ("width", .integer(Int64(width))), ("height", .integer(Int64(height))),
            ("thumbUrl", .string(thumbURL)), ("screenUrl", .string(screenURL)),
            ("thumbWidth", .integer(Int64(thumbWidth))), ("thumbHeight", .integer(Int64(thumbHeight))),
        ]
        if let tile, let tileURL {
            members.append(("tileUrl", .string(tileURL)))
            members.append(("tileWidth", .integer(Int64(tile.width))))
        }
        if let placeholder { members.append(("placeholder", .string(placeholder.text))) }
        if let originalURL { members.append(("originalUrl", .string(originalURL))) }
        members.append(("kind", video == nil ? "photo" : "video"))
        members.append(("duration", .optional(video?.seconds, JSONValue.double)))
        if let video, let streamURL {
            members.append(("streamUrl", .string(streamURL)))
            members.append(("hasPoster", .bool(video.hasPoster)))
            members.append(("mark", .string(video.mark(filename))))
        }
        if let guestName { members.append(("guestName", .string(guestName))) }
        return .object(members)
    }

    var thumbURL: String { addresses.image(thumbKey) }
    var tileURL: String? { tile.map { addresses.image($0.key) } }
    var screenURL: String { addresses.image(screenKey) }
    var originalURL: String? { originalKey.map(addresses.original) }
    var streamURL: String? { video.map { addresses.image($0.streamKey) } }
    /// Whether its renditions are a picture that can stand for the event.
    var hasPicture: Bool { video?.hasPoster ?? true }

    /// "21:45".
    var clock: String? { shownAt.map { CivilTime(secondsSince1970: $0.seconds).clock } }

    /// The shape of its place on the page in twelfths, in which the common ones (3:2, 2:3, 4:3, 3:4, 1:1) have no rest. The
    /// style sheet has a class for each, since a strict policy forbids styles on elements.
    var shape: Int { Self.shape(width: thumbWidth, height: thumbHeight) }

    static func shape(width: Int, height: Int) -> Int {
        let twelfths = (24 * width + height) / max(1, 2 * height)
        return min(max(twelfths, shapes.lowerBound), shapes.upperBound)
    }

    static let shapes = 6...36
}

extension CivilTime {
    /// "21:45".
    var clock: String {
        let minute = minute < 10 ? "0\(minute)" : "\(minute)"
        return hour < 10 ? "0\(hour):\(minute)" : "\(hour):\(minute)"
    }
}
