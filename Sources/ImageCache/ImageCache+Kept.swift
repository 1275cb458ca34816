package import Basics

/// What is here of an object, for those who do not know the key that its gallery has given it.
extension ImageCache {
    /// Nothing where it has to be asked for. Throws where it may not be shown, or is known to be gone. Where it is not said
    /// when the image expires, what was said last counts.
    package func kept(
        _ object: ImageObject, kind: String, of owner: ImageOwner, expiresAt: Timestamp?? = nil
    ) throws(ImageProblem) -> CachedImage? {
        defer { show() }
        let nameless = ImageRequest(key: "-", url: "-", object: object, kind: kind, owner: owner)
        guard !isEnded else { throw nameless.problem(.cancelled) }
        guard access.includes(owner) else { throw nameless.problem(.foreign) }
        // A disk that cannot be used has no row of what memory holds.
        guard let row = disk.row(of: object, kind) ?? memory.row(of: object, kind) else {
            if disk.isDeleted(object) { throw nameless.problem(.gone) }
            return nil
        }
        let request = ImageRequest(
            key: row.key, url: row.url, object: object, kind: kind, owner: owner,
            expiresAt: expiresAt ?? row.expiresAt)
        switch lookUp(request, at: parts.wall.wallNow) {
        case .here(let image): return image
        case .gone: throw nameless.problem(.gone)
        case .fetch: return nil
        }
    }

    /// Objects of which an image is on the disk, in the order of their ids, behind that one.
    package func objects(of owner: ImageOwner, after last: ImageObject?, limit: Int) -> [ImageObject] {
        disk.objects(of: owner, after: last, limit: limit)
    }
}
