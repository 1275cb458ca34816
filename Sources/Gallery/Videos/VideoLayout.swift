import Posix

/// What lies beside each other in a video's file.
struct VideoLayout: Sendable {
    struct TopBox: Equatable, Sendable {
        let name: String
        let start: UInt64
        let header: Int
        /// With the header.
        let size: UInt64

        var end: UInt64 { start + size }
    }

    let boxes: [TopBox]
    /// The only one of its name.
    let index: TopBox
    let fragments: [TopBox]
    let data: [TopBox]

    init(
        _ file: ReadableFile, declaredType: String, _ limits: VideoLimits
    ) throws {
        let boxes = try Self.boxes(of: file, limits)
        guard let first = boxes.first else {
            throw VideoProblem(.notAVideo, "the file does not begin as any video does")
        }
        try Self.check(first, of: file, declaredType, limits)
        self.boxes = boxes
        fragments = boxes.filter { $0.name == "moof" }
        data = boxes.filter { $0.name == "mdat" }
        let indexes = boxes.filter { $0.name == "moov" }
        guard let index = indexes.first else {
            throw VideoProblem(
                .truncated,
                "the video has no index ('moov'): its recording did not come to an end, or it is cut")
        }
        guard indexes.count == 1 else {
            throw VideoProblem(.unsupported, "the video has \(indexes.count) indexes ('moov') instead of one")
        }
        guard !data.isEmpty else {
            throw VideoProblem(.truncated, "the video has no pictures or sound in it ('mdat')")
        }
        self.index = index
    }

    private static func boxes(of file: ReadableFile, _ limits: VideoLimits) throws -> [TopBox] {
        var boxes: [TopBox] = []
        var place: UInt64 = 0
        // Fewer bytes than a header has are left behind the last box by some programs.
        while file.size - place >= 8 {
            guard boxes.count < limits.topBoxes else {
                throw VideoProblem(.unsupported, "the video has more than \(limits.topBoxes) boxes")
            }
            let bytes = BoxBytes(bytes: try file.read(place..<min(place + 16, file.size)), base: place)
            guard let header = BoxHeader(bytes, at: 0) else { throw cut(boxes) }
            let size = header.size ?? file.size - place
            guard size >= UInt64(header.length), size <= file.size - place else {
                throw boxes.isEmpty && !isKnown(header.name)
                    ? VideoProblem(.notAVideo, "the file does not begin as any video does") : cut(boxes)
            }
            boxes.append(TopBox(name: header.name, start: place, header: header.length, size: size))
            place += size
        }
        return boxes
    }

    private static func isKnown(_ name: String) -> Bool { name == "ftyp" || old.contains(name) }

    private static func cut(_ boxes: [TopBox]) -> VideoProblem {
        boxes.isEmpty
            ? VideoProblem(.notAVideo, "the file does not begin as any video does")
            : VideoProblem(
                .truncated, "the video is cut, or damaged behind its '\(boxes[boxes.count - 1].name)'")
    }

    // MARK: Kinds

    /// Files of QuickTime from before there were brands begin so.
    private static let old: Set = ["moov", "mdat", "wide", "free", "skip", "pnot"]
    private static let quickTimeBrand = "qt  "
    /// Of MP4 and what is one inside: phones and cameras name these first, or among the others.
    private static let mp4Brands: Set = [
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71",
        "avc1",
        "hvc1", "av01", "M4V ", "M4VH", "M4VP", "MSNV", "XAVC", "F4V ", "dash", "3gp4", "3gp5", "3gp6",
        "3g2a",
    ]

    private static func check(
        _ first: TopBox, of file: ReadableFile, _ declared: String, _ limits: VideoLimits
    ) throws {
        guard first.name == "ftyp" else {
            guard old.contains(first.name) else {
                throw VideoProblem(.notAVideo, "the file does not begin as any video does")
            }
            try require(declared == VideoType.quickTime, "a QuickTime file", declared)
            return
        }
        guard first.size >= UInt64(first.header + 8), first.size <= UInt64(limits.brands) else {
            throw VideoProblem(
                .notAVideo, "the file's first box has \(first.size) bytes, and names no kinds of video")
        }
        let content = BoxBytes(
            bytes: try file.read(first.start + UInt64(first.header)..<first.end), base: first.start)
        var brands = [content.name(0) ?? ""]
        // Behind the first brand stands the number of its version.
        for place in stride(from: 8, to: content.bytes.count, by: 4) {
            if let brand = content.name(place) { brands.append(brand) }
        }
        let isQuickTime = brands.contains(quickTimeBrand)
        let isMP4 = brands.contains { mp4Brands.contains($0) }
        guard isQuickTime || isMP4 else {
            throw VideoProblem(
                .notAVideo,
                "the file is of the kind '\(readable(brands[0]))', which is no video that is taken")
        }
        if declared == VideoType.quickTime {
            try require(isQuickTime, "an MP4", declared)
        } else {
            try require(isMP4, "a QuickTime file", declared)
        }
    }

    private static func require(_ fits: Bool, _ what: String, _ declared: String) throws {
        guard fits else {
            throw VideoProblem(.typeMismatch, "the file was announced as \(declared), and is \(what)")
        }
    }

    /// For a sentence.
    private static func readable(_ brand: String) -> String {
        String(brand.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
