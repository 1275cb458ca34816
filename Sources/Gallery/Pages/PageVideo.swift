import Web

/// What guests learn of a photo that moves besides.
package struct PageVideo: Equatable, Sendable {
    package var streamKey: String
    /// In milliseconds; nothing where its file does not say it.
    package var duration: Int64?
    package var hasPoster: Bool

    package init(streamKey: String, duration: Int64?, hasPoster: Bool = true) {
        self.streamKey = streamKey
        self.duration = duration
        self.hasPoster = hasPoster
    }

    init(_ video: PhotoVideo) {
        self.init(streamKey: video.streamKey, duration: video.duration, hasPoster: video.hasPoster)
    }

    /// In seconds, as the API says it.
    var seconds: Double? { duration.map { Double($0) / 1000 } }

    /// What stands on its tile beside the sign: "0:42"; its name as well, where its picture does not say which it is.
    func mark(_ name: String) -> String {
        let parts = (hasPoster ? [] : [name]) + (clock.map { [$0] } ?? [])
        return parts.joined(separator: " · ")
    }

    /// "0:42", "1:02:05": rounded, and never zero.
    private var clock: String? {
        guard let duration else { return nil }
        let seconds = max(1, (duration + 500) / 1000)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}

extension PagePhoto {
    /// What is said of it to those who do not see it.
    func called(_ words: Words) -> String {
        caption.isEmpty ? words[video == nil ? .photo : .video] : caption
    }
}
