/// Which of the cameras that announce themselves are tethered, and where. It opens nothing and waits for nothing.
///
/// Only a camera of the home is connected to: one that was met before, or that the operator has added. Of each place at
/// which one is tethered this is true:
///
/// - *fixed*: the operator named it on the command line. Never left.
/// - *tethered*: a camera of the home is there, or was. Left when that camera announces itself elsewhere and does not
///   answer here, or is none of the home's any more.
/// - *leaving*: its connection is ending. Left when it has.
package struct SearchPlan {
    package enum Happening: Equatable, Sendable {
        /// The cameras of the home, whenever they are others.
        case home([ExpectedCamera])
        case found(FoundCamera)
        case changed(FoundCamera)
        case gone(FoundCamera)
        /// The body at a place has said who it is, and what the home knows by now.
        case met(place: String, key: String, home: [ExpectedCamera])
        /// Whether there is a connection at a place.
        case connected(place: String, Bool)
        /// Another body answers at a place than the one that was announced there.
        case refused(place: String)
        /// What came of ``Action/ask(place:)``.
        case answered(place: String, Bool)
        /// Nothing is tethered at a place any more.
        case ended(place: String)
        /// The network's gateway has the address of a camera's own network, or has not.
        case gateway(FoundCamera?)
    }

    package enum Action: Equatable, Sendable {
        /// Tether at this place the camera of that key.
        case tether(place: String, key: String)
        case leave(place: String)
        /// Whether the body that is connected there still answers.
        case ask(place: String)
        /// It is none of the home's, and waits to be added.
        case show(FoundCamera)
        /// It is shown no more: gone, or one of the home's by now.
        case hide(FoundCamera)
    }

    private struct Tether {
        /// Nothing as long as the body at a fixed place has not been met.
        var key: String?
        var isFixed = false
        var isConnected = false
        var isLeaving = false
        var isBeingAsked = false
        /// Where its camera is announced as well, while it answers here.
        var outvoted: Set<String> = []
    }

    private let isAutomatic: Bool
    private let names: [CameraName]
    private var home: [ExpectedCamera] = []
    private var sightings = FoundCameras()
    private var shown: [FoundCamera] = []
    private var gateway: FoundCamera?
    /// What is announced at a place where another body answered: it is not believed again.
    private var disproved: [String: Set<String>] = [:]
    private var tethers: [String: Tether] = [:]

    /// A bridge is a small computer: what is beyond this waits.
    package static let mostTethers = 32

    /// `fixed`: places that are tethered whatever is announced. `names`: what is tethered beside them, where not all is.
    package init(isAutomatic: Bool, names: [CameraName] = [], fixed: [String] = []) {
        self.isAutomatic = isAutomatic
        self.names = names
        for place in fixed { tethers[place] = Tether(isFixed: true) }
    }

    package mutating func handle(_ happening: Happening) -> [Action] {
        switch happening {
        case .home(let cameras): home = cameras
        case .found(let camera): sightings.found(camera)
        case .changed(let camera): sightings.changed(camera)
        case .gone(let camera): sightings.gone(camera)
        case .met(let place, let key, let cameras):
            home = cameras
            tethers[place]?.key = key
            disproved[place] = nil
        case .connected(let place, let isConnected):
            tethers[place]?.isConnected = isConnected
            if !isConnected { tethers[place]?.outvoted = [] }
        case .refused(let place): return refused(place) + plan()
        case .answered(let place, let answers): answered(place, answers)
        case .ended(let place): tethers[place] = nil
        case .gateway(let camera): gateway = camera
        }
        return plan()
    }

    /// Which camera is waited for at a place, or is there.
    package func key(at place: String) -> String? { tethers[place]?.key }

    /// As what the camera of the home that is at a place announces itself there, as far as that can be known. What is the
    /// announcement of another one of the home's is none of its own.
    package func announcement(of camera: ExpectedCamera, at place: String) -> FoundCamera? {
        let there = announced(at: place)
        return there.last { $0.id == camera.announced }
            ?? there.last { found in camera.likeness(to: found).map { $0 > ExpectedCamera.byPlace } ?? false }
            ?? there.last { found in !home.contains { $0.announced == found.id } }
    }

    /// Whether another body answered there than the one that is announced.
    package func isDisproved(at place: String) -> Bool { disproved[place] != nil }

    /// Those that announce themselves and are called so, or are at that address.
    package func announced(as what: String) -> [FoundCamera] { sightings.meant(by: what) }

    /// What counts of what announces itself at a place.
    private func announced(at place: String) -> [FoundCamera] {
        sightings.places.first { $0[0].place == place } ?? []
    }

    private mutating func refused(_ place: String) -> [Action] {
        let there = announced(at: place)
        guard let tether = tethers[place], !there.isEmpty, !isAdded(tether.key, at: place) else { return [] }
        let believed = there.filter { camera(of: $0)?.key == tether.key }
        disproved[place, default: []].formUnion((believed.isEmpty ? there : believed).map(\.id))
        return leave(place)
    }

    private mutating func answered(_ place: String, _ answers: Bool) {
        guard var tether = tethers[place], tether.isBeingAsked else { return }
        tether.isBeingAsked = false
        if answers {
            let announced = sightings.places.joined().filter { camera(of: $0)?.key == tether.key }
            tether.outvoted.formUnion(announced.map(\.place))
        } else {
            tether.isConnected = false
        }
        tethers[place] = tether
    }

    // MARK: Who is who

    /// The camera of the home that this announcement is likeliest to be.
    private func camera(of found: FoundCamera) -> ExpectedCamera? {
        if disproved[found.place]?.contains(found.id) == true { return nil }
        let likely = home.compactMap { camera in camera.likeness(to: found).map { ($0, camera) } }
        guard let (_, camera) = likely.max(by: { $0.0 < $1.0 }) else { return nil }
        // One that announces itself as before is that one, and not a second one with its serial number.
        let isThereItself =
            camera.announced != nil && camera.announced != found.id
            && sightings.places.joined().contains { $0.id == camera.announced }
        return isThereItself ? nil : camera
    }

    private func isWished(_ camera: ExpectedCamera, _ found: FoundCamera? = nil) -> Bool {
        isAutomatic || names.contains { name in name.means(camera) || found.map(name.means) ?? false }
    }

    // MARK: What follows

    private mutating func plan() -> [Action] {
        for (place, ids) in disproved {
            let left = ids.intersection(announced(at: place).map(\.id))
            disproved[place] = left.isEmpty ? nil : left
        }
        var actions = leaveStrangers()
        for camera in home where camera.isAddedByPlace && isWished(camera) {
            guard let place = camera.place else { continue }
            actions += tryWhereAdded(camera, at: place)
        }
        var new: [FoundCamera] = []
        for all in sightings.places {
            let there = all.filter(\.speaksPTP)
            guard let place = there.first?.place else { continue }
            let (more, isNew) = plan(there, at: place)
            actions += more
            let believed = there.filter { disproved[place]?.contains($0.id) != true }
            if isNew, let found = believed.toShow ?? there.toShow { new.append(found) }
        }
        if let gateway, isAutomatic, tethers[gateway.place] == nil, announced(at: gateway.place).isEmpty {
            new.append(gateway)
        }
        return actions + show(new)
    }

    /// For one place, and what counts of what announces itself there. True beside it: it is to be shown as a new one.
    private mutating func plan(
        _ there: [FoundCamera], at place: String
    ) -> (actions: [Action], isNew: Bool) {
        let believed = there.compactMap { found in camera(of: found).map { (found, camera: $0) } }
        if let tether = tethers[place] {
            // One announcement of the camera that is waited for is enough, whatever else is heard there.
            let isAwaited = believed.contains { $0.camera.key == tether.key }
            return (isAwaited ? [] : makeWay(for: believed.last?.camera, at: place), false)
        }
        guard !believed.isEmpty else {
            return ([], isAutomatic || there.contains { found in names.contains { $0.means(found) } })
        }
        guard let (found, camera) = believed.last(where: { isWished($0.camera, $0.0) }) else {
            return ([], false)
        }
        return follow(camera, to: found)
    }

    /// Those that have been removed from the home.
    private mutating func leaveStrangers() -> [Action] {
        let keys = Set(home.map(\.key))
        let strangers = tethers.filter { _, tether in
            !tether.isFixed && !tether.isLeaving && tether.key.map { !keys.contains($0) } ?? false
        }
        return strangers.keys.sorted().flatMap { leave($0) }
    }

    private mutating func leave(_ place: String) -> [Action] {
        guard let tether = tethers[place], !tether.isFixed, !tether.isLeaving else { return [] }
        tethers[place]?.isLeaving = true
        return [.leave(place: place)]
    }

    /// Another camera announces itself where one was waited for that announces itself otherwise: nothing is said to it.
    private mutating func makeWay(for camera: ExpectedCamera?, at place: String) -> [Action] {
        guard let there = tethers[place], !there.isConnected, there.key != camera?.key,
            !isAdded(there.key, at: place)
        else { return [] }
        let isAnnouncedOtherwise = home.contains { $0.key == there.key && $0.announced != nil }
        return isAnnouncedOtherwise || camera?.announced != nil ? leave(place) : []
    }

    private mutating func tether(_ camera: ExpectedCamera, at place: String) -> [Action] {
        guard tethers.count < Self.mostTethers, tethers[place] == nil else { return [] }
        tethers[place] = Tether(key: camera.key)
        return [.tether(place: place, key: camera.key)]
    }

    /// As long as it is tethered nowhere else. Where another one was waited for, that one makes way: the operator has said
    /// who is there now.
    private mutating func tryWhereAdded(_ camera: ExpectedCamera, at place: String) -> [Action] {
        if tethers.values.contains(where: { $0.key == camera.key }) { return [] }
        guard let there = tethers[place] else { return tether(camera, at: place) }
        return there.isConnected || isAdded(there.key, at: place) ? [] : leave(place)
    }

    private func isAdded(_ key: String?, at place: String) -> Bool {
        home.contains { $0.key == key && $0.isAddedByPlace && $0.place == place }
    }

    /// Where it is announced and not tethered. True beside it: it answers where it was, or is announced there as well, so that
    /// this may be a new one.
    private mutating func follow(
        _ camera: ExpectedCamera, to found: FoundCamera
    ) -> (actions: [Action], isNew: Bool) {
        let places = tethers.filter { $0.value.key == camera.key && !$0.value.isLeaving }.keys.sorted()
        if let connected = places.first(where: { tethers[$0]?.isConnected == true }),
            let tether = tethers[connected]
        {
            if tether.outvoted.contains(found.place) { return ([], true) }
            if tether.isBeingAsked { return ([], false) }
            tethers[connected]?.isBeingAsked = true
            return ([.ask(place: connected)], false)
        }
        let isThereAsWell = places.contains { place in
            announced(at: place).contains { self.camera(of: $0)?.key == camera.key }
        }
        if isThereAsWell { return ([], true) }
        return (places.flatMap { leave($0) } + tether(camera, at: found.place), false)
    }

    private mutating func show(_ new: [FoundCamera]) -> [Action] {
        let before = shown
        shown = new
        return before.filter { old in !new.contains { $0.id == old.id && $0.place == old.place } }.map(
            Action.hide)
            + new.filter { !before.contains($0) }.map(Action.show)
    }
}
