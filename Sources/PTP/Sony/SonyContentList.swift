/// What lies on a card, as newer bodies list it beside the photos of their memory (0x923C): a page of shots, each with
/// its files.
public struct SonyContentList: Equatable, Sendable {
    /// A shot: a RAW and its JPEG are one.
    public struct Content: Equatable, Sendable {
        public var id: UInt32
        public var folderNumber: UInt32 = 0
        public var fileNumber: UInt32 = 0
        /// Milliseconds since 1970, by which pages follow each other.
        public var created: UInt64 = 0
        /// The same by the camera's own clock, as if that knew no zones.
        public var createdLocal: UInt64 = 0
        public var rating: Int32 = 0
        public var isProtected = false
        /// Its place is taken, and its files are not there.
        public var isPlaceholder = false
        public var files: [File] = []

        public init(id: UInt32) {
            self.id = id
        }
    }

    public struct File: Equatable, Sendable {
        public var id: UInt16
        /// `A:/DCIM/100MSDCF/DSC00001.JPG`
        public var path: String
        public var format: UInt32
        public var size: UInt64
        /// "UMID per content": 32 bytes that are this file's for ever.
        public var umid: [UInt8]

        public init(id: UInt16, path: String, format: UInt32, size: UInt64, umid: [UInt8]) {
            (self.id, self.path, self.format, self.size, self.umid) = (id, path, format, size, umid)
        }
    }

    /// When the body made the list. "Resume only if it equals the one that is remembered."
    public var dataTime: UInt64
    public var slot: UInt32
    public var contents: [Content]

    public init(dataTime: UInt64, slot: UInt32, contents: [Content] = []) {
        (self.dataTime, self.slot, self.contents) = (dataTime, slot, contents)
    }

    /// "A page has at most a hundred"; a body that sends more is read as far as this.
    public static let mostContents = 1000
    public static let mostFiles = 64
    public static let mostMarks = 4096
    public static let longestPath = 1024
    public static let umidLength = 32
    /// A page of the longest shots that are usual.
    public static let mostBytes = 1 << 20
}

extension SonyContentList {
    private static let version: UInt16 = 100
    /// Two identifiers of the card and of the body, which nothing here needs.
    private static let identifiers = 64 + 64
    /// What is told of a moving picture, and of its sound.
    private static let video = 19 * 4
    private static let sound = 4 * 4

    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        self = try PTP.decoding("SonyContentList", bytes) { reader throws(ReadFailure) in
            _ = try reader.integer("Version", as: UInt16.self)
            _ = try reader.integer("Reserved", as: UInt16.self)
            let dataTime: UInt64 = try reader.integer("DataTime")
            _ = try reader.take(Self.identifiers, "Identifiers")
            var list = SonyContentList(dataTime: dataTime, slot: try reader.integer("Slot"))
            let count = try reader.count(
                "NumberOfContents", limit: Self.mostContents, elementLength: MemoryLayout<UInt32>.size)
            for _ in 0..<count {
                // "Removed contents leave zeros at the end of the list."
                guard try reader.integer("ContentType", as: UInt32.self) != 0 else { break }
                list.contents.append(try Self.content(&reader))
            }
            return list
        }
    }

    private static func content(_ reader: inout ByteReader) throws(ReadFailure) -> Content {
        var content = Content(id: try reader.integer("ContentID"))
        content.folderNumber = try reader.integer("FolderNumber")
        content.fileNumber = try reader.integer("FileNumber")
        _ = try reader.take(3 * 4, "Group")
        content.created = try reader.integer("CreationTime")
        _ = try reader.integer("ModificationTime", as: UInt64.self)
        content.createdLocal = try reader.integer("LocalCreationTime")
        _ = try reader.integer("LocalModificationTime", as: UInt64.self)
        content.rating = try reader.integer("Rating")
        content.isProtected = try reader.integer("Protection", as: UInt32.self) != 0
        content.isPlaceholder = try reader.integer("Placeholder", as: UInt32.self) != 0
        let marks = try reader.count("NumberOfMarks", limit: mostMarks, elementLength: 1)
        _ = try reader.take(marks, "Marks")
        let files = try reader.count("NumberOfFiles", limit: mostFiles, elementLength: shortestFile)
        for _ in 0..<files { content.files.append(try file(&reader)) }
        return content
    }

    private static let shortestFile = 4 + 4 + 4 + 8 + umidLength + 3 * 4

    private static func file(_ reader: inout ByteReader) throws(ReadFailure) -> File {
        let id: UInt16 = try reader.integer("FileID")
        _ = try reader.integer("Reserved", as: UInt16.self)
        let length = try reader.count("PathLength", limit: longestPath, elementLength: 1)
        // The NUL behind it is counted.
        let path = try reader.take(length, "Path").prefix { $0 != 0 }
        let file = File(
            id: id, path: String(decoding: path, as: UTF8.self), format: try reader.integer("Format"),
            size: try reader.integer("Size"), umid: Array(try reader.take(umidLength, "UMID")))
        for length in [2 * 4, video, sound] where try reader.integer("HasParameters", as: UInt32.self) != 0 {
            _ = try reader.take(length, "Parameters")
        }
        return file
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.version)
        writer.append(UInt16(0))
        writer.append(dataTime)
        writer.append(contentsOf: [UInt8](repeating: 0, count: Self.identifiers))
        writer.append(slot)
        writer.append(UInt32(contents.count))
        for content in contents { content.write(to: &writer) }
        return writer.bytes
    }
}

extension SonyContentList.Content {
    /// DCF; what is not a photo has other numbers.
    private static let type: UInt32 = 1

    fileprivate func write(to writer: inout ByteWriter) {
        for number in [Self.type, id, folderNumber, fileNumber, 0, 0, 1] { writer.append(number) }
        for time in [created, created, createdLocal, createdLocal] { writer.append(time) }
        writer.append(rating)
        for flag in [isProtected, isPlaceholder] { writer.append(UInt32(flag ? 1 : 0)) }
        writer.append(UInt32(0))
        writer.append(UInt32(files.count))
        for file in files { file.write(to: &writer) }
    }
}

extension SonyContentList.File {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(id)
        writer.append(UInt16(0))
        writer.append(UInt32(path.utf8.count + 1))
        writer.append(contentsOf: Array(path.utf8) + [0])
        writer.append(format)
        writer.append(size)
        writer.append(contentsOf: umid)
        for _ in 0..<3 { writer.append(UInt32(0)) }
    }
}
