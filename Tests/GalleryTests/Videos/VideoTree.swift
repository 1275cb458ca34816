/// The boxes of a real video, taken apart so that any of them can be put back wrongly (ISO/IEC 14496-12, 4.2).
struct VideoTree: Sendable {
    struct Box: Sendable {
        let name: String
        /// What stands before its children, or all that it has.
        var content: [UInt8]
        var children: [Box] = []
        /// Written instead of the size and, where that is told, the longer size.
        var said: (size: UInt32, long: UInt64?)?

        var count: Int {
            8 + (said?.long == nil ? 0 : 8) + content.count + children.reduce(0) { $0 + $1.count }
        }

        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            write(to: &bytes)
            return bytes
        }

        fileprivate func write(to bytes: inout [UInt8]) {
            bytes += VideoFile.number(said?.size ?? UInt32(count))
            bytes += name.utf8
            if let long = said?.long { bytes += VideoTree.number(long) }
            bytes += content
            for child in children { child.write(to: &bytes) }
        }
    }

    /// A way from the top: which box of each level.
    typealias Path = [Int]

    var boxes: [Box]

    /// Those that have nothing but boxes in them.
    private static let parents: Set = [
        "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "mvex", "moof", "traf", "udta",
    ]

    init(_ bytes: [UInt8]) throws {
        boxes = try Self.boxes(of: bytes[...])
    }

    private static func boxes(of bytes: ArraySlice<UInt8>) throws -> [Box] {
        var (rest, found) = (bytes, [Box]())
        while !rest.isEmpty {
            guard rest.count >= 8 else { throw Damaged() }
            let size = Int(rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
            let name = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            guard (8...rest.count).contains(size) else { throw Damaged() }
            let inside = rest.prefix(size).dropFirst(8)
            found.append(
                parents.contains(name)
                    ? Box(name: name, content: [], children: try boxes(of: inside))
                    : Box(name: name, content: Array(inside)))
            rest = rest.dropFirst(size)
        }
        return found
    }

    /// The video itself is not as it has to be for that.
    struct Damaged: Error {}

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for box in boxes { box.write(to: &bytes) }
        return bytes
    }

    /// All, those of the top before what is in them.
    var paths: [Path] { Self.paths(of: boxes, below: []) }

    private static func paths(of boxes: [Box], below path: Path) -> [Path] {
        boxes.indices.map { path + [$0] }
            + boxes.indices.flatMap { paths(of: boxes[$0].children, below: path + [$0]) }
    }

    subscript(path: Path) -> Box {
        get { path.dropFirst().reduce(boxes[path[0]]) { $0.children[$1] } }
        set { Self.set(newValue, at: path[...], in: &boxes) }
    }

    private static func set(_ box: Box, at path: ArraySlice<Int>, in boxes: inout [Box]) {
        guard let first = path.first else { return }
        if path.count == 1 {
            boxes[first] = box
        } else {
            set(box, at: path.dropFirst(), in: &boxes[first].children)
        }
    }

    /// The names that lead to a box.
    func name(of path: Path) -> String {
        path.indices.map { self[Array(path[...$0])].name }.joined(separator: "/")
    }

    /// Where each box begins, and the end.
    var starts: [(name: String, place: Int)] {
        var found: [(String, Int)] = []
        func walk(_ boxes: [Box], _ place: Int) -> Int {
            boxes.reduce(place) { place, box in
                found.append((box.name, place))
                _ = walk(box.children, place + 8 + box.content.count)
                return place + box.count
            }
        }
        let end = walk(boxes, 0)
        return found + [("the end", end)]
    }

    func paths(named name: String) -> [Path] { paths.filter { self[$0].name == name } }

    /// The same with other contents of all boxes of a name.
    func with(_ name: String, _ change: ([UInt8]) -> [UInt8]) -> VideoTree {
        var tree = self
        for path in paths(named: name) { tree[path].content = change(tree[path].content) }
        return tree
    }

    /// The same, of which a box says another size.
    func saying(_ size: (UInt32, UInt64?), at path: Path) -> VideoTree {
        var tree = self
        tree[path].said = size
        return tree
    }

    /// The same with more in the last box.
    func withMore(_ more: [Box]) -> VideoTree {
        var tree = self
        tree.boxes[tree.boxes.count - 1].children += more
        return tree
    }

    func without(_ name: String) -> VideoTree {
        var tree = self
        tree.boxes.removeAll { $0.name == name }
        return tree
    }

    static func number(_ value: UInt64) -> [UInt8] {
        VideoFile.number(UInt32(value >> 32)) + VideoFile.number(UInt32(truncatingIfNeeded: value))
    }
}
