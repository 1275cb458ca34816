import Bridge
import Store

/// The destinations that a command line or settings name, beside those that the event has or had. A command line is quickly
/// repeated or mistyped: what it names does not undo what the operator has decided, and delivers nothing twice.
struct DestinationReconciler {
    private let known: [KnownDestination]
    private let event: BridgeEvent

    init(known: [KnownDestination], event: BridgeEvent) {
        self.known = known
        self.event = event
    }

    /// False for one that the operator has removed: it does not come back by itself.
    func mayUse(_ url: String, _ note: (String) -> Void) -> Bool {
        guard let former = known.first(where: { $0.url == url }), let removed = former.removedAt else {
            return true
        }
        note(
            "\(url) was \(former.replacedBy.map { "replaced by \($0)" } ?? "removed from '\(event.name)'") at "
                + "\(removed.onTheWall) and is not used; 'tetherline destination add \(former.id.number)' uses it again"
        )
        return false
    }

    /// Whether an address is to become a destination of the event. The place of another one under other parameters would
    /// get every photo a second time, so that is for the operator to say.
    func isNew(_ address: DestinationAddress, _ note: (String) -> Void) -> Bool {
        let url = address.url
        guard mayUse(url, note), !known.contains(where: { $0.url == url }) else { return false }
        let used = known.filter { $0.removedAt == nil && $0.kind == .direct }
        if let twin = used.first(where: { Self.place($0.url) == Self.place(url) }) {
            note(
                "\(url) is not used: it is the place of \(twin.url) with other parameters, and would get every photo a second time. "
                    + "'tetherline destination replace \(twin.id.number) URL' changes the parameters, and delivers nothing again; "
                    + "'tetherline destination add URL' delivers there under both")
            return false
        }
        if !used.isEmpty {
            note(
                "\(url) is one more destination of '\(event.name)', and gets what is here already as well. If it corrects the address of "
                    + "another one, remove that: 'tetherline destination list' shows both")
        }
        return true
    }

    /// An address without what says how things are named and sent there.
    private static func place(_ url: String) -> Substring {
        var place = url.prefix { $0 != "?" }
        while place.hasSuffix("/") { place.removeLast() }
        return place
    }
}
