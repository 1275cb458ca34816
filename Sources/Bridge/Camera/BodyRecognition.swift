/// Which body it is that has just said who it is, among those that bear its serial number.
///
/// Serial numbers repeat, some bodies make themselves another GUID for each connection, and one that changes its address is
/// met at the new one while the old connection is not known to be dead. So nothing is believed alone: a GUID counts when it
/// is the one that was seen last, and speaks against another one when two connections have shown that; a body that answers
/// elsewhere at this moment is another one; and in the end the contents of photos tell. They do so carefully: a photo that
/// was rated on the body has another content, so one that is the same says more than one that is not, as long as no other
/// body is there. A value: ``next()`` says what has to be found out, or who it is.
public struct BodyRecognition: Equatable, Sendable {
    /// A body that is connected, and where.
    public struct Live: Equatable, Sendable {
        public var identity: CameraIdentity
        public var place: String

        public init(identity: CameraIdentity, place: String) {
            self.identity = identity
            self.place = place
        }
    }

    public enum Step: Equatable, Sendable {
        /// Whether the body that is connected there still answers.
        case ask(place: String)
        /// Whether the photos that the card has in common with those of these bodies have the same content.
        case compare([CameraIdentity])
        /// It is that one, whose connection at another place is dead, if it has one.
        case known(CameraIdentity, insteadOf: String?)
        /// It was never met.
        case new(CameraIdentity)
        /// It is that one, which answers at another place as well.
        case twice(CameraIdentity, at: String)
    }

    private let body: KnownBody
    private let place: String
    /// Those that were last at this place first.
    private let known: [KnownBody]
    private let live: [CameraIdentity: String]
    private let lastHere: CameraIdentity?
    private var answered: [String: Bool] = [:]
    private var comparison: CardComparison?

    /// `known`: the bodies of this maker, model and serial number that were ever met, the likelier first. `live`: those of
    /// them that are connected elsewhere. `lastHere`: the body that was connected at this place last.
    public init(
        of body: KnownBody, at place: String, known: [KnownBody], live: [Live] = [],
        lastHere: CameraIdentity? = nil
    ) {
        self.body = body
        self.lastHere = lastHere
        self.place = place
        self.known = known
        self.live = Dictionary(
            live.filter { $0.place != place }.map { ($0.identity, $0.place) },
            uniquingKeysWith: { first, _ in first })
    }

    public mutating func answered(at place: String, _ answers: Bool) { answered[place] = answers }
    public mutating func compared(_ found: CardComparison) { comparison = found }

    /// Bodies that bear the same serial number and answer elsewhere.
    public var others: [Live] {
        live.filter { answered[$0.value] ?? true }.map { Live(identity: $0.key, place: $0.value) }
            .sorted { $0.place < $1.place }
    }

    /// It was not known that there are two: photos of this body, if it is new, were kept under another's name. What another one
    /// with the same GUID has shown is not told from its own.
    public var adoption: Adoption? {
        if known.isEmpty { return nil }
        let isShared = known.contains { $0.wireID == wireID }
        return Adoption(
            wireID: isShared ? nil : wireID, namesakes: known.map(\.identity),
            proven: known.map(\.identity).filter { comparison?.allSame.contains($0) == true })
    }

    public func next() -> Step {
        if known.isEmpty { return .new(body.identity) }
        let namesakes = known.filter { $0.wireID != nil && $0.wireID == wireID }
        for namesake in namesakes {
            if let question = question(to: namesake) { return question }
        }
        let mayBe = namesakes.filter(mayBe)
        if mayBe.count == 1 { return found(mayBe[0]) }
        return next(among: mayBe.isEmpty ? known.filter { !namesakes.contains($0) } : mayBe)
    }

    /// No known body has just this GUID, or several have.
    private func next(among all: [KnownBody]) -> Step {
        let candidates = all.filter { !hasAnotherGUID($0) }
        for candidate in candidates {
            if let question = question(to: candidate) { return question }
        }
        guard body.serial != nil else { return candidates.first(where: mayBe).map(found) ?? .new(apart) }
        guard let comparison else {
            return beyondDoubt.map(found) ?? .compare(known.map(\.identity))
        }
        if let twice = answeringHereAsWell(comparison) { return twice }
        // A GUID is another one after a reset, or with other firmware; photos are not.
        if let found = all.first(where: { mayBe($0) && comparison.allSame.contains($0.identity) }) {
            return self.found(found)
        }
        let left = candidates.filter(mayBe)
        let mixed = left.first { others.isEmpty && comparison.same.contains($0.identity) }
        let found = mixed ?? left.first { !comparison.different.contains($0.identity) }
        return found.map(self.found) ?? .new(apart)
    }

    /// What it shows is not what two connections have shown to be the other's.
    private func hasAnotherGUID(_ candidate: KnownBody) -> Bool {
        guard let own = candidate.ownWireID, let wireID else { return false }
        return own != wireID
    }

    /// The one that was here last, where a second one was never met and its GUID never told anything: else such a body would
    /// pay for photos to compare at every connection.
    private var beyondDoubt: KnownBody? {
        guard known.count == 1, live.isEmpty, let only = known.first, only.identity == lastHere else {
            return nil
        }
        let neverTells = only.wireID != nil && only.tellingWireID == nil && wireID == nil
        return neverTells || only.changesWireID ? only : nil
    }

    /// One GUID that is a body's own, one serial number and the same photos, and it answers at both places: one body.
    private func answeringHereAsWell(_ comparison: CardComparison) -> Step? {
        guard let wireID else { return nil }
        for candidate in known
        where candidate.ownWireID == wireID && comparison.allSame.contains(candidate.identity) {
            if let place = live[candidate.identity], answered[place] == true {
                return .twice(candidate.identity, at: place)
            }
        }
        return nil
    }

    private var wireID: String? { body.serial == nil ? nil : body.tellingWireID }

    private func question(to candidate: KnownBody) -> Step? {
        live[candidate.identity].flatMap { answered[$0] == nil ? .ask(place: $0) : nil }
    }

    /// A body has one place: where it answers.
    private func mayBe(_ candidate: KnownBody) -> Bool {
        live[candidate.identity].map { answered[$0] == false } ?? true
    }

    private func found(_ body: KnownBody) -> Step {
        .known(body.identity, insteadOf: live[body.identity])
    }

    /// By what tells it from those that were met.
    private var apart: CameraIdentity {
        let names = Set(known.map(\.identity))
        if let wireID {
            let byGUID = body.identity.told(apartByWireID: wireID)
            if !known.contains(where: { $0.wireID == wireID }), !names.contains(byGUID) { return byGUID }
        }
        var apart = body.identity.told(apartBy: place)
        while names.contains(apart) { apart = apart.told(apartBy: place) }
        return apart
    }
}

/// Of some bodies, whether photos that look like theirs have the content of theirs.
public struct CardComparison: Equatable, Sendable {
    /// Some that were compared have.
    public var same: Set<CameraIdentity>
    /// Some have another one; where none has the same, several, or the only one that there was.
    public var different: Set<CameraIdentity>

    public init(same: Set<CameraIdentity> = [], different: Set<CameraIdentity> = []) {
        self.same = same
        self.different = different
    }

    /// All that were compared have.
    public var allSame: Set<CameraIdentity> { same.subtracting(different) }
}

extension BodyRecognition {
    /// Who it is as far as the ledger tells alone: no camera is asked, and nothing is compared.
    public static func likeliest(_ body: KnownBody, at place: String, known: [KnownBody]) -> KnownBody? {
        var recognition = BodyRecognition(of: body, at: place, known: known)
        recognition.compared(CardComparison())
        switch recognition.next() {
        case .known(let identity, _): return known.first { $0.identity == identity }
        case .new(let identity):
            return identity == body.identity ? nil : KnownBody(identity: identity, driver: "")
        case .ask, .compare, .twice: preconditionFailure("no body is live, and nothing is left to compare")
        }
    }
}
