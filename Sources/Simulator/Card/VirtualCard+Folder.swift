import PTP
import Posix

extension VirtualCard {
    /// Why a folder cannot be served as a card.
    public struct UnusableFolder: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// A tree of folders deeper than this is no card.
    private static let deepest = 16

    /// More things than this are no card.
    public static let mostObjects = 200_000

    /// A card that is a folder of the user's, which has to hold a DCIM folder.
    public init(_ settings: Settings, folder path: String) throws(UnusableFolder) {
        do {
            try self.init(settings, photos: 0)
            let top = try Directory(path: path)
            guard try top.facts(of: "DCIM")?.kind == .folder else {
                throw UnusableFolder(
                    description:
                        "\(path) holds no folder named DCIM; give the folder that a card would have at its top."
                )
            }
            try addContents(of: path)
        } catch let error as UnusableFolder {
            throw error
        } catch {
            throw UnusableFolder(description: "\(path) cannot be served as a card: \(error)")
        }
    }

    /// Walks in a loop. Links are not followed, and what is no plain file is not there for the camera.
    private mutating func addContents(of top: String) throws {
        var waiting: [(path: String, handle: ObjectHandle, depth: Int)] = [(top, .root, 0)]
        let storage = storages[0]
        while let (path, parent, depth) = waiting.popLast() {
            guard depth <= Self.deepest else { throw UnusableFolder(description: "\(path) lies too deep.") }
            let directory = try Directory(path: path)
            for name in try directory.names(limit: Self.mostObjects) where !name.hasPrefix(".") {
                guard objects.count < Self.mostObjects else {
                    throw UnusableFolder(description: "\(top) holds more than \(Self.mostObjects) things.")
                }
                let whole = "\(path)/\(name)"
                guard let facts = try directory.facts(of: name) else { continue }
                switch facts.kind {
                case .folder:
                    waiting.append((whole, folder(name, inside: parent, storage), depth + 1))
                case .file:
                    append(try file(name, at: whole, facts, inside: parent, storage))
                case .other:
                    continue
                }
            }
        }
    }

    private mutating func file(
        _ name: String, at path: String, _ facts: FileFacts, inside parent: ObjectHandle, _ storage: StorageID
    ) throws -> CardObject {
        let start = try FileContent(file: ReadableFile(path: path)).beginning
        let picture = JPEGFacts(start)
        let local = facts.modified + WallClock.localOffset(at: facts.modified)
        var object = CardObject(
            handle: takeHandle(), storage: storage, parent: parent, name: name,
            format: FormatCode.guess(name: name, start: start), size: facts.size,
            date: picture?.dateTimeOriginal.flatMap(Self.wireDate)
                ?? DateTime(secondsSince1970: local).description, sequence: 0, kind: .file(path: path))
        object.width = picture?.width ?? 0
        object.height = picture?.height ?? 0
        object.thumbnailLength = picture?.thumbnail?.count ?? 0
        return object
    }

    /// `2026:11:21 18:30:00` to `20261121T183000`; nothing for what is no date.
    private static func wireDate(_ exif: String) -> String? {
        let digits = exif.filter(\.isWholeNumber)
        guard digits.count == 14 else { return nil }
        let text = "\(digits.prefix(8))T\(digits.suffix(6))"
        return DateTime(text) == nil ? nil : text
    }
}

extension FileContent {
    var beginning: [UInt8] {
        get throws { try bytes(0..<min(length, UInt64(JPEGFacts.lookedAt))) }
    }
}

extension FormatCode {
    /// What a camera would say of a file: by its first bytes, then by its extension.
    static func guess(name: String, start: [UInt8]) -> FormatCode {
        if start.starts(with: [0xFF, 0xD8]) { return .exifJPEG }
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return .png }
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        switch ending {
        case "dng": return .dng
        case "tif", "tiff": return .tiff
        case "mov": return .quickTime
        case "mp4", "m4v": return .mp4
        case "avi": return .avi
        case "wav": return .wav
        case "mrk": return .dpof
        case "txt": return .text
        // "0x3000: many RAWs": cameras say undefined, and leave it to the extension.
        default: return .undefined
        }
    }
}
