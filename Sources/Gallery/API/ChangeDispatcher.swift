/// What follows from a change: what caches have to forget, and what is said to those who are looking. The one place that
/// knows.
struct ChangeDispatcher: Sendable {
    let images: ImageAccessCache
    let feeds: Feeds
    let directory: EventDirectory
    /// Where a node tells caches outside what to forget.
    var purger: Purger?

    /// Of this program's own changes, where it is the only one.
    func apply(_ changes: [GalleryChange]) {
        // Before anything is sent: a client that learns of a change finds nothing as it was before.
        forget(changes)
        for change in changes { tell(change, at: nil) }
    }

    /// That events are over is a change that none but the clock makes.
    func tellEnds() { feeds.sendAwayWhereOver() }

    // MARK: Forgetting

    /// This program's own changes.
    func forget(_ changes: [GalleryChange]) {
        for change in changes {
            forgetImages(after: change)
            forgetEvent(after: change)
        }
        if changes.contains(where: \.endsLogins) { images.forgetLogins() }
        if changes.contains(where: \.takesImagesBack) { purger?.lookAgain() }
    }

    /// What another node has changed.
    func forget(_ sign: ChangeSign) {
        if sign.forgets == .images { directory.forget(sign.event) }
        switch sign.forgets {
        case .nothing: break
        case .images: images.forget(event: sign.event)
        case .logins: images.forgetLogins()
        }
    }

    /// What others have changed is not known.
    func forgetEverything() {
        images.forget()
        directory.forget()
    }

    /// Whether some client may no longer see an image, or may from now on.
    private func forgetImages(after change: GalleryChange) {
        switch change {
        case .photoChanged(let photo, _), .photoDeleted(let photo, _, _):
            images.forget(photo.keys)
        case .accessChanged, .originalsWithdrawn, .originalsGiven, .eventDeleted: images.forget()
        case .photoAdded, .photosMoved, .countsChanged, .reactionsChanged, .loginsEnded: break
        }
    }

    /// Whether guests who come in now are to be asked by other rules.
    private func forgetEvent(after change: GalleryChange) {
        switch change {
        case .accessChanged(let event), .originalsWithdrawn(let event), .originalsGiven(let event),
            .eventDeleted(let event):
            directory.forget(event)
        case .photosMoved(let event, _): directory.forget(event.id)
        case .photoAdded, .photoChanged, .photoDeleted, .countsChanged, .reactionsChanged, .loginsEnded:
            break
        }
    }

    // MARK: Telling

    /// Of an event there was nothing to tell up to that stamp, or it has been told.
    func pass(_ event: String, at stamp: Int64) { feeds.pass(event, at: stamp) }

    /// `stamp`: under which all nodes tell it; nothing where there is only this one.
    func tell(_ change: GalleryChange, at stamp: Int64?) {
        switch change {
        case .photoAdded(let photo, let event), .photoChanged(let photo, let event):
            feeds.tell(photo, in: event, at: stamp ?? photo.stamp)
        case .photoDeleted(let photo, let event, let own): feeds.gone(photo.id, in: event, at: stamp ?? own)
        case .photosMoved(let event, let own): feeds.anew(event, at: stamp ?? own)
        case .countsChanged(let event, let own): feeds.tellCounts(of: event, at: stamp ?? own)
        case .reactionsChanged(let photos, let event, let own):
            feeds.tell(photos, in: event, at: stamp ?? own)
        case .accessChanged(let event): feeds.sendGuestsAway(from: event, at: stamp)
        case .originalsWithdrawn(let event): feeds.beginAnew(for: event, at: stamp)
        // Those who look learn it with the next list.
        case .originalsGiven(let event): feeds.pass(event, at: stamp)
        case .eventDeleted(let event): feeds.close(event)
        case .loginsEnded(let events): for event in events { feeds.sendHostAway(from: event, at: stamp) }
        }
    }
}

extension GalleryChange {
    /// The store has written down which.
    fileprivate var takesImagesBack: Bool {
        switch self {
        case .photoChanged, .photoDeleted, .accessChanged, .originalsWithdrawn, .eventDeleted: true
        case .photoAdded, .photosMoved, .countsChanged, .reactionsChanged, .originalsGiven, .loginsEnded:
            false
        }
    }

    fileprivate var endsLogins: Bool {
        if case .loginsEnded = self { true } else { false }
    }
}
