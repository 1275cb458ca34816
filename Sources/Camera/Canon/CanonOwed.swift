import PTP

/// What a body has to be told and has not done yet: one thing at a time, and again after a pause where it does not do it now.
struct CanonOwed: Equatable, Sendable {
    /// The first of them next.
    private var waiting: [CanonWatch.Action] = []
    /// Photos that the body is being told to let go of. One that is requested anew meanwhile is none of them any more.
    private var leaving: Set<ObjectHandle> = []
    /// When the next one is told, and how long the body was left in peace after its last refusal.
    private var due = Duration.zero
    private var pause = Duration.zero
    /// In a row.
    private var refusals = 0

    /// "Busy: retry 100–250 ms, growing; drain GetEvent first."
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(2)
    /// With the pauses between them a minute: what is still refused then is told as seldom as a body is kept on.
    static let mostRefusals = 30
    static let seldom = CanonWatch.keepOnEvery

    var count: Int { waiting.count }

    mutating func add(_ action: CanonWatch.Action) {
        guard !waiting.contains(action) else { return }
        switch action {
        // No photo comes before that.
        case .tellCapacity: waiting.insert(action, at: 0)
        case .letGo(let handle):
            guard !leaving.contains(handle), waiting.count < CanonWatch.mostRequested else { return }
            waiting.append(action)
        case .ask, .keepOn, .tell, .giveUp: break
        }
    }

    mutating func next(at now: Duration) -> [CanonWatch.Action] {
        guard due <= now, !waiting.isEmpty else { return [] }
        let next = waiting.removeFirst()
        if case .letGo(let handle) = next { leaving.insert(handle) }
        return [next]
    }

    /// Whether the photo that the body has let go of is the one that it has now under that handle.
    mutating func done(_ action: CanonWatch.Action) -> Bool {
        (pause, refusals) = (.zero, 0)
        guard case .letGo(let handle) = action else { return true }
        return leaving.remove(handle) != nil
    }

    mutating func notDone(_ action: CanonWatch.Action, at now: Duration) {
        refusals += 1
        pause =
            refusals < Self.mostRefusals
            ? min(max(pause * 2, Self.firstPause), Self.longestPause) : Self.seldom
        due = now + pause
        // A body that is told again of a photo that it has requested anew would lose that one.
        if case .letGo(let handle) = action, leaving.remove(handle) == nil { return }
        add(action)
    }

    /// There is nothing any more that the body could let go of under that handle, or it is wanted again.
    mutating func forget(_ handle: ObjectHandle) {
        leaving.remove(handle)
        waiting.removeAll { $0 == .letGo(handle) }
    }
}
