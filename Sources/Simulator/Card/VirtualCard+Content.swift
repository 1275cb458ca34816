import PTP
import Posix

/// Makes the bytes of objects, and keeps the last few that were asked for: a client reads one photo in many
/// small parts, and each would otherwise draw the picture again.
struct ContentMaker {
    private let noise: Noise
    private var recent: [(handle: ObjectHandle, content: any ObjectContent)] = []

    private static let kept = 4

    init(seed: UInt64) {
        noise = Noise(seed: seed)
    }

    /// Handles mean something else now.
    mutating func forget() {
        recent = []
    }

    /// What the camera gives for an object.
    mutating func content(of object: CardObject) throws -> any ObjectContent {
        Self.given(try own(object), for: object)
    }

    /// The same, made when it is asked for.
    func maker(of object: CardObject) -> @Sendable () throws -> any ObjectContent {
        { [noise] in Self.given(try Self.make(object, noise), for: object) }
    }

    private mutating func own(_ object: CardObject) throws -> any ObjectContent {
        if let known = recent.first(where: { $0.handle == object.handle }) { return known.content }
        let content = try Self.make(object, noise)
        recent.append((object.handle, content))
        if recent.count > Self.kept { recent.removeFirst() }
        return content
    }

    private static func make(_ object: CardObject, _ noise: Noise) throws -> any ObjectContent {
        if object.size == 0 { return BytesContent(bytes: []) }
        switch object.kind {
        case .folder:
            return BytesContent(bytes: [])
        case .photo(let description, let isRaw):
            return isRaw
                ? GeneratedPhoto(raw: description, size: object.size, noise: noise)
                : GeneratedPhoto(jpeg: description, size: object.size, noise: noise)
        case .file(let path):
            return FileContent(file: try ReadableFile(path: path))
        }
    }

    private static func given(_ content: any ObjectContent, for object: CardObject) -> any ObjectContent {
        object.foreignBeginning.isEmpty
            ? content
            : OverlaidContent(
                base: content, beginning: Array(object.foreignBeginning.prefix(Int(clamping: content.length)))
            )
    }

    /// Nothing where the object has none.
    mutating func thumbnail(of object: CardObject) throws -> [UInt8]? {
        switch try own(object) {
        case let photo as GeneratedPhoto:
            return photo.thumbnail
        case let file as FileContent:
            let start = try file.bytes(0..<min(file.length, UInt64(JPEGFacts.lookedAt)))
            return JPEGFacts(start)?.thumbnail.map { Array(start[$0]) }
        default:
            return nil
        }
    }
}
