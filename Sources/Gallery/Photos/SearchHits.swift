import Basics

/// The first photos of a page that a search has found so far, the latest first.
struct SearchHits {
    private(set) var places: [PhotoCursor] = []
    private let filter: PhotoFilter
    /// The sequences of those that are looked through, where it is not all.
    private let among: Set<Int64>?

    init(_ filter: PhotoFilter, among: Set<Int64>? = nil) {
        self.filter = filter
        self.among = among
    }

    /// The last place that a photo can have and still be on the page.
    var end: PhotoCursor? { places.count < filter.limit ? nil : places.last }

    /// One whose text holds what is looked for.
    mutating func insert(_ record: SearchBlock.Record) {
        guard record.rating >= filter.rating, filter.showsHidden || !record.isHidden else { return }
        if let among, !among.contains(record.sequence) { return }
        let place = PhotoCursor(Timestamp(milliseconds: record.place), record.sequence)
        if let behind = filter.behind, place >= behind { return }
        if let end {
            if place <= end { return }
            places.removeLast()
        }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] > place { low = middle + 1 } else { high = middle }
        }
        places.insert(place, at: low)
    }
}
