import Bridge
import Posix
import Store
import Upload

/// What a run without options is about: the event of the bridge that runs, the one that the settings name, or that of the
/// last run.
struct NextEvent {
    let name: String
    /// Nothing before a run has begun it.
    let known: BridgeEvent?
    /// Those that the settings name: a run gives them to the event.
    private let named: [DestinationTest.Subject]
    private let usesServer: Bool

    init?(of subject: CheckedHome) throws {
        let reader = try subject.reader()
        let run = try Settings.read(from: subject.home).run
        let last = try reader?.currentEvent()
        if subject.holder != nil, let last {
            (name, known, named, usesServer) = (last.name, last, [], false)
            return
        }
        named = run.destinations.map { .direct($0, written: $0.url) }
        if let wanted = run.event {
            (name, known, usesServer) = (wanted, try reader?.event(wanted), run.server != nil)
        } else if let selection = try reader?.selection() {
            (name, known, usesServer) = (selection.event.name, selection.event, true)
        } else if let last {
            (name, known, usesServer) = (last.name, last, run.server != nil)
        } else {
            return nil
        }
    }

    /// A place that takes files.
    struct Place {
        let subject: DestinationTest.Subject
        /// No run has delivered there yet: a folder is made by the first.
        let isNew: Bool

        var isStillToBeMade: Bool {
            get throws(SystemError) {
                guard isNew, case .direct(.folder(let folder, _), _) = subject,
                    DiskPlace(of: folder.path)?.isMounted != false
                else { return false }
                return try FileFacts(at: folder.path) == nil
            }
        }
    }

    /// Every one of the event.
    func directPlaces(_ reader: LedgerReader?) throws -> [Place] {
        let known = try knownPlaces(reader).filter { $0.kind == .direct }.map { place in
            Place(
                subject: .direct(try DestinationAddress(place.url), written: place.url), isNew: false)
        }
        return known
            + named.filter { place in !known.contains { $0.subject.url == place.url } }
            .map { Place(subject: $0, isNew: true) }
    }

    func goesNowhere(_ reader: LedgerReader?) throws -> Bool {
        try named.isEmpty && !usesServer && knownPlaces(reader).isEmpty
    }

    private func knownPlaces(_ reader: LedgerReader?) throws -> [KnownDestination] {
        guard let reader, let known else { return [] }
        return try reader.knownDestinations(of: known.id).filter { $0.removedAt == nil }
    }
}
