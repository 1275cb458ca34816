import PTP

/// Where each object hangs, from what objects say about their parents.
///
/// The camera is not trusted to describe a tree: a folder may be its own parent, two may be each other's,
/// and chains may be endless. Paths are walked upwards in a loop, at most ``deepest`` steps.
struct FolderTree {
    /// DCF has two levels. Whatever is deeper than this is no camera's card.
    static let deepest = 16

    private var folders: [ObjectHandle: (name: String, parent: ObjectHandle)] = [:]

    mutating func add(_ handle: ObjectHandle, name: String, parent: ObjectHandle) {
        folders[handle] = (name, parent)
    }

    /// The names of the folders above, outermost first. Stops where the camera goes in a circle.
    func path(above parent: ObjectHandle) -> [String] {
        var names: [String] = []
        var seen: Set<ObjectHandle> = []
        var next = parent
        while let folder = folders[next], names.count < Self.deepest, seen.insert(next).inserted {
            names.append(folder.name)
            next = folder.parent
        }
        return names.reversed()
    }
}
