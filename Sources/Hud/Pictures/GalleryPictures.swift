package import Basics
package import Bridge
package import ImageCache

/// Pictures of photos whose local files have gone: what the gallery has made of them, through the image cache.
///
/// What is here is shown without a word to the gallery. Once a minute, and less often while no page looks, the gallery is
/// asked what has become of what was looked at, and of some of what is kept, so that what its host has hidden or deleted
/// leaves; what the bridge's copy of the gallery hears of leaves at once.
package actor GalleryPictures: PictureSource {
    package nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let cache: ImageCache
    private let gallery: any PhotoGallery
    /// Whether its network may be used for pictures now.
    private let mayAsk: @Sendable () -> Bool
    private let time: any TimeSource
    private let wall: any WallTime

    /// Nothing until it is known, or while no account is logged in.
    private var owner: ImageOwner?
    private var hasLookedAtAccount = false
    private var span: GalleryEventSpan?
    /// Under which keys images are had; asked for once.
    private var known: [String: GalleryPhoto] = [:]
    /// What the host has hidden or deleted.
    private var withdrawn: Set<String> = []
    /// Looked at since the gallery was asked last.
    private var seen: Set<String> = []
    /// Up to there the gallery was asked of what is kept.
    private var asked: ImageObject?
    /// Until then the gallery is left alone: it did not answer.
    private var restsUntil: Duration?

    /// How often it is asked what has become of photos.
    private static let interval = Duration.seconds(60)
    /// While no page looks, bytes of the uplink are for photos.
    private static let idleIntervals = 10
    private static let rest = Duration.seconds(5)
    private static let mostKnown = 10_000

    package init(
        cache: ImageCache, gallery: any PhotoGallery, mayAsk: @escaping @Sendable () -> Bool,
        time: any TimeSource, wall: any WallTime, executor: any SerialExecutor & TaskExecutor
    ) {
        self.cache = cache
        self.gallery = gallery
        self.mayAsk = mayAsk
        self.time = time
        self.wall = wall
        self.executor = executor
    }

    /// What may be looked at with these rights.
    package static func access(of account: String?, to gallery: any PhotoGallery) -> ImageAccess {
        account.map { ImageAccess(account: $0, events: [gallery.event]) }
            ?? ImageAccess(account: "", events: [])
    }

    // MARK: Pictures

    package func picture(of photo: PicturedPhoto, _ size: PictureSize) async -> PictureAnswer {
        if !hasLookedAtAccount { await lookAtAccount() }
        guard let owner, let id = photo.atGallery else { return .none }
        if seen.count < GalleryPhoto.mostAsked { seen.insert(id) }
        guard !withdrawn.contains(id) else { return .none }
        do throws(ImageProblem) {
            let kept = try await cache.kept(
                .photo(id), kind: size.galleryKind, of: owner, expiresAt: span.map(\.expiresAt))
            if let kept { return .gallery(kept) }
        } catch {
            return .none
        }
        // The camera's own is replaced in a moment, and a gallery has none.
        return size == .camera ? .none : await fetched(id, size, owner)
    }

    private func fetched(_ id: String, _ size: PictureSize, _ owner: ImageOwner) async -> PictureAnswer {
        guard mayAsk(), restsUntil.map({ time.now >= $0 }) ?? true else { return .busy }
        do {
            guard let photo = try await found(id) else {
                await withdraw(id)
                return .none
            }
            let key = size == .screen ? photo.screenKey : photo.thumbKey
            let (url, headers) = try await gallery.imageAddress(of: key)
            let request = ImageRequest(
                key: key, url: url, object: .photo(id), kind: size.galleryKind, owner: owner,
                headers: headers,
                neverChanges: true, expiresAt: span?.expiresAt)
            return .gallery(try await cache.image(request))
        } catch let problem as ImageProblem {
            return answer(to: problem, id)
        } catch {
            restsUntil = time.now + Self.rest
            return .busy
        }
    }

    private func answer(to problem: ImageProblem, _ id: String) -> PictureAnswer {
        switch problem.meaning {
        case .gone, .refused:
            // Asked for anew the next time: a log-in that has just ended looks the same.
            known[id] = nil
            return .none
        case .unreachable:
            restsUntil = time.now + max(Self.rest, problem.retryAfter ?? .zero)
            return .busy
        case .busy, .cancelled: return .busy
        case .foreign, .unusable, .invalid: return .none
        }
    }

    /// Nothing where it is not to be shown.
    private func found(_ id: String) async throws -> GalleryPhoto? {
        if let photo = known[id] { return photo }
        guard let photo = try await gallery.photo(id), !photo.isHidden else { return nil }
        if known.count >= Self.mostKnown { known = [:] }
        known[id] = photo
        return photo
    }

    private func withdraw(_ id: String, isDeleted: Bool = false) async {
        if withdrawn.count >= Self.mostKnown { withdrawn = [] }
        withdrawn.insert(id)
        known[id] = nil
        if isDeleted {
            await cache.markDeleted(.photo(id))
        } else {
            await cache.forget(.object(.photo(id)))
        }
    }

    // MARK: What has become of them

    /// Until the task is cancelled. The gallery is not asked at once: a page that is opened after a restart is shown from
    /// what is here.
    package func run() async {
        var idle = 0
        while !Task.isCancelled {
            do {
                try await time.sleep(until: time.now + Self.interval)
            } catch {
                break
            }
            idle = seen.isEmpty ? (idle + 1) % Self.idleIntervals : 0
            await look(asking: idle == 0)
        }
    }

    /// What may not be shown any more leaves.
    package func check() async { await look(asking: true) }

    private func look(asking: Bool) async {
        await lookAtAccount()
        await cache.tidy()
        guard asking, let owner, mayAsk() else { return }
        do {
            span = try await gallery.openEvent()
            guard let span, span.expiresAt.map({ $0 > wall.wallNow }) ?? true else {
                known = [:]
                await cache.forget(.event(owner.event))
                return
            }
            let looked = Array(seen)
            seen = []
            try await ask(of: looked)
            try await ask(of: await next(owner).filter { !looked.contains($0) })
        } catch {
            // What is kept may be shown until the gallery says otherwise; it is asked again in a minute.
            return
        }
    }

    /// Some of what is kept, all of it in turn.
    private func next(_ owner: ImageOwner) async -> [String] {
        let objects = await cache.objects(of: owner, after: asked, limit: GalleryPhoto.mostAsked)
        asked = objects.count < GalleryPhoto.mostAsked ? nil : objects.last
        return objects.map(\.id)
    }

    private func ask(of ids: [String]) async throws {
        guard !ids.isEmpty else { return }
        let fates = try await gallery.fates(of: ids)
        for id in ids { await take(fates[id] ?? .hidden, of: id) }
    }

    /// What the gallery has told of photos without being asked for it here.
    package func take(_ fates: [(id: String, GalleryPhoto.Fate)]) async {
        for (id, fate) in fates { await take(fate, of: id) }
    }

    private func take(_ fate: GalleryPhoto.Fate, of id: String) async {
        switch fate {
        case .shown:
            if withdrawn.remove(id) != nil { await cache.markRestored(.photo(id)) }
        case .hidden: await withdraw(id)
        case .deleted: await withdraw(id, isDeleted: true)
        }
    }

    /// The operator may have logged in as another one, or out.
    package func lookAtAccount() async {
        hasLookedAtAccount = true
        let account: String?
        do {
            account = try gallery.account()
        } catch {
            // The file cannot be read now; who was logged in still is.
            return
        }
        let now = account.map { ImageOwner(account: $0, event: gallery.event) }
        guard now != owner else { return }
        (owner, span, known, withdrawn) = (now, nil, [:], [])
        await cache.allow(Self.access(of: account, to: gallery))
    }
}

extension PictureSize {
    /// The gallery's rendition of that size.
    fileprivate var galleryKind: String { self == .screen ? "screen" : "thumb" }
}
