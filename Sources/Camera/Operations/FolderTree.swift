import PTP

/// Where each object hangs, from what objects say about their parents.
///
/// The camera is not trusted to describe a tree: a folder may be its own parent, two may be each other's,
/// and chains may be endless. Paths are walked upwards in a loop, at most ``deepest`` steps.
struct FolderTree {
    struct Folder: Sendable {
        let name: String
        let parent: ObjectHandle
    }

    /// DCF has two levels. Whatever is deeper than this is no camera's card.
    static let deepest = 16

    private(set) var folders: [ObjectHandle: Folder]
    /// Objects of one folder share one array.
    private var paths: [ObjectHandle: [String]] = [:]

    init(_ folders: [ObjectHandle: Folder] = [:]) {
        self.folders = folders
    }

    mutating func add(_ handle: ObjectHandle, name: String, parent: ObjectHandle) {
        folders[handle] = Folder(name: name, parent: parent)
        paths = [:]
    }

    func isTooDeep(_ folder: ObjectHandle) -> Bool {
        above(folder).count >= Self.deepest
    }

    /// The names of the folders above, outermost first.
    mutating func path(above parent: ObjectHandle) -> [String] {
        if let known = paths[parent] { return known }
        let path = above(parent)
        paths[parent] = path
        return path
    }

    /// Stops where the camera goes in a circle.
    private func above(_ parent: ObjectHandle) -> [String] {
        handles(above: parent).compactMap { folders[$0]?.name }.reversed()
    }

    /// The folder itself and those above it, innermost first, up to one that is not known, which is among them.
    func handles(above parent: ObjectHandle) -> [ObjectHandle] {
        var handles: [ObjectHandle] = []
        var seen: Set<ObjectHandle> = []
        var next = parent
        while let folder = folders[next], handles.count < Self.deepest, seen.insert(next).inserted {
            handles.append(next)
            next = folder.parent
        }
        return handles.count < Self.deepest && !seen.contains(next) ? handles + [next] : handles
    }
}
