import CLinux

/// A path below one of the folders that disks are mounted in. Where no disk is mounted there, what is written goes onto this
/// machine's own disk, and is hidden as soon as one is.
package struct DiskPlace: Equatable, Sendable {
    package let path: String
    private let root: String

    /// The Filesystem Hierarchy Standard 3.0 has two for "removable media" (§3.11) and "temporarily mounted filesystems"
    /// (§3.12); desktops mount in the third.
    package static let roots = ["/media", "/mnt", "/run/media"]

    /// Nothing where it is below none of them.
    package init?(of path: String, below roots: [String] = DiskPlace.roots) {
        guard let root = roots.first(where: { path.hasPrefix("\($0)/") }) else { return nil }
        self.path = path
        self.root = root
    }

    private struct Place: Equatable {
        var mount: UInt64 = 0
        var device: UInt64 = 0
    }

    /// Whether something is mounted on the way from that folder to the path, or on that folder itself.
    package var isMounted: Bool {
        guard let top = Self.place(root), let above = Self.place("\(root)/.."),
            let here = Self.nearest(path)
        else { return false }
        if here.device != above.device { return true }
        // A folder of the same disk that is mounted in another place, too. A service has such a mount of the root itself.
        return here.mount != 0 && here.mount != top.mount
    }

    /// Of the path, or the folder above it that is there.
    private static func nearest(_ path: String) -> Place? {
        var path = path[...]
        while !path.isEmpty {
            if let place = place(String(path)) { return place }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return nil
    }

    /// Nothing where it is not there, or not to be looked at.
    private static func place(_ path: String) -> Place? {
        var place = Place()
        return tl_mount_of(path, &place.mount, &place.device) == 0 ? place : nil
    }
}
