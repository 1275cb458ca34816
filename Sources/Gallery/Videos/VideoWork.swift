import Basics
import Digest
import Glibc
import Posix

/// A video to be looked at, and where its copy for guests is written. Paths begin at the root: a worker works in a folder of
/// its own.
package struct VideoJob: Equatable, Sendable {
    let file: String
    /// What its sender calls it.
    let declaredType: String
    /// Nothing is there yet.
    let copy: String

    package init(file: String, declaredType: String, copy: String) {
        precondition(file.hasPrefix("/") && copy.hasPrefix("/"), "a worker's paths begin at the root")
        self.file = file
        self.declaredType = declaredType
        self.copy = copy
    }
}

/// What was found out about a video, and of the copy that was made: that is as long as the video itself.
package struct PreparedVideo: Equatable, Sendable {
    /// Of the file as it is, in hexadecimal.
    let sha256: String
    let crc: UInt32
    let size: UInt64
    let facts: VideoFacts
    let copyCRC: UInt32
}

/// The work on one video: it is read, and copied without what guests are not given. Pictures and sound stay as they are, at the
/// same places of the file, so that every offset in it stays right.
enum VideoWork {
    /// So much is copied in one call.
    private static let piece: UInt64 = 64 << 20
    private static let zeros = [UInt8](repeating: 0, count: 1 << 20)

    /// Blocks. Throws ``VideoProblem``, or a system error that is ours.
    static func prepare(_ job: VideoJob, _ limits: VideoLimits = VideoLimits()) throws -> PreparedVideo {
        let file = try ReadableFile(path: job.file)
        let layout = try VideoLayout(file, declaredType: job.declaredType, limits)
        let bytes = try read(layout.index, of: file, limits)
        let index = try VideoIndex(bytes, layout.index, limits)
        let facts = try index.facts()
        let (blanks, kept) = try parts(of: file, layout, index, bytes, limits)
        let sums = try file.checksums()
        let crc = try copy(file, to: job.copy, blanks, kept)
        return PreparedVideo(
            sha256: "\(sums.sha256)", crc: sums.crc32, size: file.size, facts: facts, copyCRC: crc)
    }

    private static func read(
        _ box: VideoLayout.TopBox, of file: ReadableFile, _ limits: VideoLimits
    ) throws -> BoxBytes {
        guard box.size <= UInt64(limits.index) else {
            throw VideoProblem(
                .tooLarge,
                "the video's '\(box.name)' has \(box.size) bytes, and more than \(limits.index) "
                    + "are not looked at")
        }
        return BoxBytes(bytes: try file.read(box.start..<box.end), base: box.start)
    }

    // MARK: What guests are not given

    /// What is blanked whatever lies there, and what of the data is not.
    private static func parts(
        of file: ReadableFile, _ layout: VideoLayout, _ index: VideoIndex, _ bytes: BoxBytes,
        _ limits: VideoLimits
    ) throws -> (blanks: [VideoBlank], kept: KeptData) {
        var blanks = layout.boxes.filter {
            // Room for a longer size, in which anything could stand.
            !BoxReader.topLevel.contains($0.name) || $0.name == "wide" && $0.size > 8
        }.map {
            VideoBlank(start: $0.start, header: $0.header, size: $0.size)
        }
        blanks += index.strays.map(\.blank)
        for track in index.others {
            blanks += try samples(of: track, bytes, layout)
            blanks.append(track.node.blank)
        }
        guard layout.fragments.isEmpty || index.others.isEmpty else {
            throw VideoProblem(
                .unsupported,
                "the video is in fragments and has a track of other data ('\(index.others[0].handler)'), "
                    + "which cannot be taken out of it; export it as a plain MP4")
        }
        var kept = KeptData(in: layout.data)
        for track in index.played {
            // One that is damaged may be of no use to a player, which plays the others.
            _ = SampleRanges(of: track, bytes).walk { kept.keep($0) }
        }
        // Its limits are those of all fragments together.
        var reader = BoxReader(limits)
        let ranges = FragmentRanges(index.root, bytes)
        for fragment in layout.fragments {
            let bytes = try read(fragment, of: file, limits)
            let root = try reader.read(
                BoxNode(
                    name: fragment.name, start: fragment.start, size: fragment.size, header: fragment.header,
                    content: fragment.header..<bytes.bytes.count), bytes)
            for range in ranges.all(of: root, bytes) { kept.keep(range) }
        }
        blanks += reader.strays.map(\.blank)
        guard blanks.count <= limits.blanks else {
            throw VideoProblem(
                .unsupported, "the video has more than \(limits.blanks) parts that are no pictures")
        }
        guard !kept.isEmpty else {
            throw VideoProblem(
                .truncated, "the video is damaged: nothing of its pictures and its sound lies in its data")
        }
        kept.sort()
        return (blanks, kept)
    }

    /// Those that lie beside each other are one.
    private static func samples(
        of track: VideoIndex.Track, _ bytes: BoxBytes, _ layout: VideoLayout
    ) throws(VideoProblem) -> [VideoBlank] {
        var ranges: [Range<UInt64>] = []
        let all = try SampleRanges(of: track, bytes).all()
        for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        var data = layout.data[...]
        for range in ranges {
            while let first = data.first, first.end <= range.lowerBound { data.removeFirst() }
            guard let first = data.first, first.start + UInt64(first.header) <= range.lowerBound,
                range.upperBound <= first.end
            else {
                throw VideoProblem(
                    .truncated, "the video is damaged: a track of it leads to where there is no data")
            }
        }
        return ranges.map { VideoBlank(start: $0.lowerBound, header: 0, size: UInt64($0.count)) }
    }

    // MARK: The copy

    /// A box becomes a free one of the same size with nothing in it, and of the data nothing stays but what is kept. The CRC
    /// of what was written.
    private static func copy(
        _ file: ReadableFile, to path: String, _ blanks: [VideoBlank], _ kept: KeptData
    ) throws -> UInt32 {
        guard let place = Directory.place(of: path) else {
            throw SystemError("making the copy of a video", EINVAL, on: path)
        }
        let copy = try StagedFile(in: try Directory(path: place.folder), partialName: place.name)
        _ = try FileCopy.copy(file, to: copy, inPieces: piece, isCancelled: { false })
        for blank in blanks {
            if blank.header > 0 { try copy.write(Array("free".utf8), at: blank.start + 4) }
            try clear(blank.start + UInt64(blank.header)..<blank.end, of: copy)
        }
        try kept.walkGaps { try clear($0, of: copy) }
        return try ReadableFile(path: path).crc32()
    }

    private static func clear(_ range: Range<UInt64>, of file: StagedFile) throws(SystemError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let count = min(UInt64(zeros.count), range.upperBound - place)
            try file.write(count == UInt64(zeros.count) ? zeros : Array(zeros.prefix(Int(count))), at: place)
            place += count
        }
    }
}
