package import HTTPServer

/// What a host decides about a gallery.
package struct GallerySettings: Equatable, Sendable {
    /// How it is reached from outside, without a slash at the end.
    package var publicURL: String
    /// The version of the terms that uploads need consent to.
    package var consentVersion = 1
    /// The largest original, in bytes.
    package var uploadLimit: UInt64 = 512 << 20
    /// The largest video, in bytes.
    package var videoLimit: UInt64 = 2 << 30
    /// The largest video that a guest brings; nothing where guests bring photos only.
    package var guestVideoLimit: UInt64? = 512 << 20
    package var images = ImageDelivery()
    /// What this node is called in logs and metrics, where it has a name.
    package var node: String?

    /// How many may listen to events at a time; others are told to ask now and then.
    package var mostStreams = Feeds.mostStreams

    /// Which addresses read /metrics, besides this machine.
    package var metricsFrom: [AddressNetwork] = []

    package init(publicURL: String) {
        self.publicURL = publicURL
    }

    /// How many bytes a file of that type may have.
    func limit(of contentType: String) -> UInt64 {
        VideoType.isVideo(contentType) ? videoLimit : uploadLimit
    }

    /// Of whatever type.
    var largestUpload: UInt64 { max(uploadLimit, videoLimit) }

    /// How many bytes a guest's video may have; nothing where guests bring none.
    var mostOfGuestVideo: UInt64? { guestVideoLimit.map { min($0, videoLimit) } }

    /// The kinds of files that guests bring.
    var guestTypes: [String] { guestVideoLimit == nil ? UploadType.photos : UploadType.all }

    /// Where caches outside have images from, as their addresses begin.
    var cachedURL: String {
        if case .cdn(let base) = images.way { base } else { publicURL }
    }

    /// Figures are nothing for guests.
    func mayReadMetrics(_ client: ClientAddress) -> Bool {
        client.isThisMachine || client.isItsOwn && metricsFrom.contains { $0.contains(client.text) }
    }

    /// Guests come by https only.
    package var isSecure: Bool { publicURL.hasPrefix("https://") }
}

/// The kinds of files that are taken.
package enum UploadType {
    package static let all = photos + VideoType.all

    static let photos = [
        "image/jpeg", "image/png", "image/heic", "image/heif", "image/tiff", "image/x-canon-cr2",
        "image/x-canon-cr3", "image/x-nikon-nef", "image/x-sony-arw", "image/x-fuji-raf", "image/x-adobe-dng",
        "image/x-panasonic-rw2",
    ]
}
