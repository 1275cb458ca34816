package import Basics
import HTTPServer

/// Lists of photos for requests: pages of an event by the connections that all read by, searches in their turns and by their
/// own.
package struct PhotoLists: Sendable {
    let reader: ReaderPool
    let searcher: ReaderPool
    let turns: SearchTurns

    package init(_ database: GalleryDatabase, time: any TimeSource) {
        reader = database.reader
        searcher = database.searcher
        turns = SearchTurns(atOnce: database.searchesAtOnce, time: time)
    }

    /// `guest`: who asks, as far as that is known.
    func photos(
        of event: String, _ filter: PhotoFilter, for request: Request, by guest: SearchClient.Guest
    ) async throws -> [Photo] {
        guard !filter.text.isEmpty else { return try await reader { try $0.photos(of: event, filter) } }
        return try await found(of: event, filter, for: request, by: guest) {}.photos
    }

    /// A search, and what is done `beside` it once it has its turn: nothing where it is refused. The turn ends with the search.
    func found<Other: Sendable>(
        of event: String, _ filter: PhotoFilter, for request: Request, by guest: SearchClient.Guest,
        beside other: @escaping @Sendable () async throws -> Other
    ) async throws -> (photos: [Photo], other: Other) {
        let (photos, task) = try await turns(for: SearchClient(PeerKey(request.peer), guest)) {
            let task = Task { try await other() }
            return (try await searcher { try $0.photos(of: event, filter) }, task)
        }
        return (photos, try await task.value)
    }
}
