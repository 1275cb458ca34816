/// What follows from a change: what caches have to forget, and what is said to those who are looking. The one place that
/// knows.
struct ChangeDispatcher: Sendable {
    let images: ImageAccessCache
    let feeds: Feeds

    func apply(_ changes: [GalleryChange]) {
        // Before anything is sent: a client that learns of a change finds nothing as it was before.
        for change in changes { forgetImages(after: change) }
        if changes.contains(where: \.endsLogins) { images.forgetLogins() }
        for change in changes { tell(change) }
    }

    /// Whether some client may no longer see an image, or may from now on.
    private func forgetImages(after change: GalleryChange) {
        switch change {
        case .photoChanged(let photo, _), .photoDeleted(let photo, _, _):
            images.forget([photo.thumbKey, photo.screenKey, photo.originalKey])
        case .accessChanged, .originalsWithdrawn, .originalsGiven, .eventDeleted: images.forget()
        case .photoAdded, .photosMoved, .countsChanged, .loginsEnded: break
        }
    }

    private func tell(_ change: GalleryChange) {
        switch change {
        case .photoAdded(let photo, let event), .photoChanged(let photo, let event):
            feeds.tell(photo, in: event)
        case .photoDeleted(let photo, let event, let stamp): feeds.gone(photo.id, in: event, at: stamp)
        case .photosMoved(let event, let stamp): feeds.anew(event, at: stamp)
        case .countsChanged(let event, let stamp): feeds.tellCounts(of: event, at: stamp)
        case .accessChanged(let event): feeds.sendGuestsAway(from: event)
        case .originalsWithdrawn(let event): feeds.beginAnew(for: event)
        // Those who look learn it with the next list.
        case .originalsGiven: break
        case .eventDeleted(let event): feeds.close(event)
        case .loginsEnded(let events): for event in events { feeds.sendHostAway(from: event) }
        }
    }
}

extension GalleryChange {
    fileprivate var endsLogins: Bool {
        if case .loginsEnded = self { true } else { false }
    }
}
