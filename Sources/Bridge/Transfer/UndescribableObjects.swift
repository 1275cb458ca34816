/// Objects that have cost connections before they could be described. Only what the camera calls them is known, and
/// their place in its list, by which one is found again on bodies that rename everything at each connection.
struct UndescribableObjects: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var object: ListedPlace
        var history = FetchFailureHistory()
        /// How often it has been met under another name at the same place.
        var renamings = 0

        var isGivenUp: Bool { history.timesGivenUp > 0 }
    }

    private var entries: [Entry] = []
    var isEmpty: Bool { entries.isEmpty }
    /// Names under which the object at a place is asked for.
    private static let chances = 3
    /// More of them is a camera that describes nothing.
    private static let most = 1000

    private func index(of object: ListedPlace) -> Int? {
        entries.firstIndex { $0.object.reference == object.reference }
            ?? object.place.flatMap { place in entries.firstIndex { $0.object.place == place } }
    }

    func history(of reference: PhotoReference) -> FetchFailureHistory? {
        entries.first { $0.object.reference == reference }?.history
    }

    /// Another connection has ended while the camera was asked what this is.
    mutating func connectionEnded(over object: ListedPlace, arrived: Int) -> FetchFailureHistory {
        guard let index = index(of: object) else {
            var entry = Entry(object: object)
            entry.history.connectionEnded(at: 0, arrived: arrived)
            if entries.count < Self.most { entries.append(entry) }
            return entry.history
        }
        meet(object, at: index)
        entries[index].history.connectionEnded(at: 0, arrived: arrived)
        return entries[index].history
    }

    /// It is still there, and was not asked for.
    mutating func putOff(_ object: ListedPlace) {
        if let index = index(of: object) { meet(object, at: index) }
    }

    private mutating func meet(_ object: ListedPlace, at index: Int) {
        if entries[index].object.reference != object.reference {
            entries[index].renamings += 1
            // Another object may have come to its place: it is asked for once before it is left alone.
            if entries[index].renamings <= Self.chances { entries[index].history.leftAloneUntil = nil }
        }
        entries[index].object.reference = object.reference
        entries[index].object.place = object.place ?? entries[index].object.place
    }

    mutating func gaveUp(_ reference: PhotoReference, until moment: Duration) {
        guard let index = entries.firstIndex(where: { $0.object.reference == reference }) else { return }
        entries[index].history.timesGivenUp += 1
        entries[index].history.leftAloneUntil = moment
    }

    /// It has been described, or is not there any more.
    mutating func forget(_ reference: PhotoReference) {
        if entries.isEmpty { return }
        entries.removeAll { $0.object.reference == reference }
    }

    /// Not to be asked for while the others are.
    var toPutOff: Set<PhotoReference> { Set(entries.map(\.object.reference)) }
    /// Given up once, and so not even asked for where others lie in it.
    var toLeaveOut: Set<PhotoReference> { Set(entries.filter(\.isGivenUp).map(\.object.reference)) }
    var placesToLeaveOut: Set<Int> {
        Set(entries.filter { $0.isGivenUp && $0.renamings > 0 }.compactMap(\.object.place))
    }
    var placesToPutOff: Set<Int> { Set(entries.filter { $0.renamings > 0 }.compactMap(\.object.place)) }
}
