import Bridge
import PTP

/// What a Nikon has told by now, by being asked and by itself, and what it is asked next.
///
/// "Nikon may emit several notifications for one shot": by its list of events and on the event link, in any order. Each
/// photo is told once. A value: the driver asks the body and says what came.
struct NikonNoticing: Equatable, Sendable {
    enum State: Equatable, Sendable {
        /// The body is asked for its events with the first of these. Left for the next of them, and for `listening` after
        /// the last, when the answers make no sense or are refused ``failuresThatTell`` times in a row.
        case asking([Question])
        /// The body's own notices count, and its cards are listed from time to time. Never left.
        case listening
    }

    struct Question: Equatable, Sendable {
        let operation: OperationCode
        let layout: NikonEventList.Layout

        static let extended = Question(operation: .nikonGetEventEx, layout: .extended)
        static let short = Question(operation: .nikonGetEvent, layout: .short)
    }

    enum Failure: Equatable, Sendable {
        /// It says that it is busy.
        case busy
        case refused
        case malformed
    }

    /// The photo that was told to lie under one handle of the body's memory. Where several do, the oldest stands before the
    /// others, and all have that handle.
    private struct InMemory: Equatable, Sendable {
        var reference: PhotoReference
        /// The body has told of one since; that may be the same.
        var mayHaveMore = false
        /// Photos in a row that were looked for and not told of.
        var looks = 0
        /// It is ours, or not wanted, and the body has refused to free its place: it is asked again, until then at the most.
        var freeing: Freeing?
    }

    private struct Freeing: Equatable, Sendable {
        let until: Duration
        var next: Duration
        var pause: Duration
    }

    /// What the body answers when it is to free a place in its memory.
    enum Release: Equatable, Sendable {
        /// The place is free, or was already.
        case free
        /// It refuses to, and may do it later.
        case refused
        /// It has no operation for that, or does not know the one that it lists.
        case notOffered
    }

    private(set) var state: State
    private let onlyPushed: Bool
    private var pace: PollPace
    private var failures = 0
    /// What was told, and when. Handles are used again after a card was formatted, so it does not count for long.
    private var told: [ObjectHandle: Duration] = [:]
    /// What lies in the body's memory, as far as is known.
    private var memory: [ObjectHandle: InMemory] = [:]
    /// Photos that were told to be there.
    private var arrivals = 0
    private var listNext: Duration

    /// All that is told of a shot comes well within this.
    static let memory = Duration.seconds(10)
    /// More photos than a body takes in that time.
    static let mostTold = 4096
    /// More photos than a body keeps in its memory, and more handles than it has for them.
    static let mostInMemory = 64
    static let failuresThatTell = 3
    /// "AMTP instead polls the handle list every 3 s."
    static let betweenLists = Duration.seconds(3)

    init(_ device: DeviceInfo, onlyPushed: Bool, at now: Duration) {
        self.onlyPushed = onlyPushed
        state = .listening
        pace = PollPace(at: now)
        listNext = now + Self.betweenLists
        lists(device)
    }

    /// What it can be asked, before it is asked anything.
    mutating func lists(_ device: DeviceInfo) {
        guard !onlyPushed else { return }
        var questions = [Question.extended, .short].filter { device.supports($0.operation) }
        if device.hasUnreliableNikonEvents { questions.removeAll { $0 == .short } }
        state = questions.isEmpty ? .listening : .asking(questions)
    }

    // MARK: What is asked

    /// Nothing for a body whose cards are listed instead.
    var question: Question? {
        guard case .asking(let questions) = state else { return nil }
        return questions.first
    }

    var nextAt: Duration {
        let next = question == nil ? listNext : pace.next
        return memory.values.compactMap(\.freeing?.next).reduce(next, min)
    }

    /// The body was not asked: it is time to look what there is.
    mutating func listIsDue(at now: Duration) -> [CameraChange] {
        listNext = now + Self.betweenLists
        return [.mayHaveMore]
    }

    mutating func answered(_ list: NikonEventList, at now: Duration) -> [CameraChange] {
        failures = 0
        pace.answered(list.records.isEmpty ? .nothing : .news, at: now)
        let told = list.records.flatMap { changes($0.code, $0.parameters, at: now) }
        // As many as fit: what did not fit was not told.
        return list.records.count < NikonEventList.mostRecords ? told : told + [.mayHaveMore]
    }

    /// What to tell the operator, once.
    mutating func failed(_ failure: Failure, at now: Duration) -> [CameraChange] {
        pace.answered(.refused, at: now)
        guard failure != .busy, case .asking(let questions) = state, let question else { return [] }
        failures += 1
        guard failures >= Self.failuresThatTell else { return [] }
        failures = 0
        let left = Array(questions.dropFirst())
        state = left.isEmpty ? .listening : .asking(left)
        let how = failure == .malformed ? "tells events that make no sense" : "refuses to tell its events"
        let instead =
            left.isEmpty
            ? "what it pushes counts, and its cards are listed every few seconds"
            : "it is asked in another way"
        // What was told meanwhile is lost.
        return [
            .remark("the camera \(how) (\(question.operation.described(for: .nikon))): \(instead)"),
            .mayHaveMore,
        ]
    }

    /// What the body told by itself.
    mutating func pushed(_ notice: EventPacket, at now: Duration) -> [CameraChange] {
        pace.hint(at: now)
        return changes(notice.code, notice.parameters, at: now)
    }

    // MARK: What is new

    private mutating func changes(
        _ code: EventCode, _ parameters: [UInt32], at now: Duration
    ) -> [CameraChange] {
        let handle = ObjectHandle(rawValue: parameters.first ?? 0)
        switch code {
        case .objectAdded, .requestObjectTransfer: return added(handle, at: now)
        case .nikonObjectAddedInMemory: return addedInMemory(handle, at: now)
        case .objectRemoved:
            told[handle] = nil
            return [.removed(PhotoReference(handle))]
        case .objectInfoChanged: return [.changed(PhotoReference(handle))]
        // A shot, perhaps without ObjectAdded.
        case .captureComplete: return [.mayHaveMore]
        case .storeAdded, .storeRemoved, .unreportedStatus, .deviceReset:
            told = [:]
            return [.cardsChanged]
        case .storeFull:
            return [.remark("the card in the camera is full: change it, or photos are not kept any more")]
        default: return []
        }
    }

    private mutating func added(_ handle: ObjectHandle, at now: Duration) -> [CameraChange] {
        guard handle != .root, handle != .all else { return [.mayHaveMore] }
        guard !wasTold(handle, at: now) else { return [] }
        return [.added(PhotoReference(handle))]
    }

    /// Each shot in memory has the same handle: what tells them apart is that they come one after the other.
    private mutating func addedInMemory(_ handle: ObjectHandle, at now: Duration) -> [CameraChange] {
        let handle = handle == .root ? .nikonInMemory : handle
        guard memory[handle] == nil else {
            memory[handle]?.mayHaveMore = true
            return []
        }
        guard memory.count < Self.mostInMemory else { return [.mayHaveMore] }
        return tellNext(handle, looks: 0, at: now)
    }

    private mutating func tellNext(_ handle: ObjectHandle, looks: Int, at now: Duration) -> [CameraChange] {
        arrivals += 1
        let reference = NikonInMemory.reference(handle, arrivals)
        memory[handle] = InMemory(reference: reference, looks: looks)
        told[handle] = now
        return [.added(reference)]
    }

    /// What is still to be had from there.
    var inMemory: Set<PhotoReference> {
        Set(memory.values.filter { $0.freeing == nil }.map(\.reference))
    }

    /// A body that was left in the middle of a burst does not tell of it again. Nothing where something is known to lie there.
    mutating func look() -> PhotoReference? {
        guard memory[.nikonInMemory] == nil else { return nil }
        arrivals += 1
        let reference = NikonInMemory.reference(.nikonInMemory, arrivals)
        memory[.nikonInMemory] = InMemory(reference: reference)
        return reference
    }

    /// The body has its memory back, as far as it says so. In a burst the next photo lies there by now, and was told of
    /// before: the body says whether it does when it is asked what it is.
    mutating func released(_ reference: PhotoReference, _ release: Release, at now: Duration)
        -> [CameraChange]
    {
        guard let handle = NikonInMemory.handle(reference), let known = memory[handle],
            known.reference == reference
        else { return [] }
        switch release {
        case .free:
            memory[handle] = nil
            let looks = known.mayHaveMore ? 0 : known.looks + 1
            return looks < Self.mostInMemory ? tellNext(handle, looks: looks, at: now) : []
        case .refused:
            var freeing =
                known.freeing
                ?? Freeing(until: now + Self.freeWithin, next: now, pause: Self.firstPauseOfFreeing)
            if now < freeing.until {
                freeing.next = now + freeing.pause
                freeing.pause = min(freeing.pause * 2, Self.longestPauseOfFreeing)
                memory[handle]?.freeing = freeing
                return []
            }
        case .notOffered: break
        }
        // It may have freed the place by itself. What it told of meanwhile lies there then.
        memory[handle] = nil
        return known.mayHaveMore ? tellNext(handle, looks: 0, at: now) : []
    }

    /// What the body is to be asked to free now.
    func toFree(at now: Duration) -> PhotoReference? {
        memory.values.first { $0.freeing.map { $0.next <= now } ?? false }?.reference
    }

    /// "Busy: retry 100–250 ms, growing, ≥ 5–10 s in total."
    private static let firstPauseOfFreeing = Duration.milliseconds(250)
    private static let longestPauseOfFreeing = Duration.seconds(2)
    static let freeWithin = Duration.seconds(30)

    /// The body says that nothing lies there. What it told of meanwhile may have come since.
    mutating func gone(_ reference: PhotoReference, at now: Duration) -> [CameraChange] {
        guard let handle = NikonInMemory.handle(reference), let known = memory[handle],
            known.reference == reference
        else { return [] }
        (memory[handle], told[handle]) = (nil, nil)
        return known.mayHaveMore ? tellNext(handle, looks: 0, at: now) : []
    }

    /// "GetObjectInfo right after ObjectAdded: 0x2002 for up to ~1 s; retry every 250 ms up to 5 s." Nothing for an object
    /// that was not told just now: of that the code says something else.
    func notReady(_ handle: ObjectHandle, at now: Duration) -> RetryRule? {
        guard let toldAt = told[handle], now < toldAt + Self.readyWithin else { return nil }
        return RetryRule(.generalError, pause: Self.betweenTries, limit: toldAt + Self.readyWithin - now)
    }

    private static let readyWithin = Duration.seconds(5)
    private static let betweenTries = Duration.milliseconds(250)

    private mutating func wasTold(_ handle: ObjectHandle, at now: Duration) -> Bool {
        if let before = told[handle], now - before < Self.memory { return true }
        if told.count >= Self.mostTold { told = told.filter { now - $0.value < Self.memory } }
        if told.count >= Self.mostTold { told = [:] }
        told[handle] = now
        return false
    }
}

/// Photos that lie in the body's memory all have one handle, so their references say which of them is meant.
enum NikonInMemory {
    static func reference(_ handle: ObjectHandle, _ number: Int) -> PhotoReference {
        PhotoReference("\(handle)#\(number)")
    }

    /// Nothing for an object on a card.
    static func handle(_ reference: PhotoReference) -> ObjectHandle? {
        let parts = reference.text.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt32(parts[1]) != nil else { return nil }
        return ObjectHandle(PhotoReference(String(parts[0])))
    }
}
