import Basics
import Bridge
import Posix
import Store
import Upload

/// Which event a bridge works for.
///
/// A gallery is asked which events it has. When it cannot be asked, what is known of it here counts: photographers
/// start before there is a network, and what was known last is told as such.
struct EventChoice {
    let ledger: Ledger
    let report: RunReport
    /// How long the start of a bridge waits for a gallery.
    private static let timeout = Duration.seconds(15)

    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    struct NotLoggedIn: Error, CustomStringConvertible {
        let description: String
    }

    /// Where no gallery is involved an unknown name makes an event here.
    func local(_ wanted: String?) async throws -> (event: BridgeEvent, server: String?) {
        let selection = try await ledger.selection()
        if let wanted {
            let event = try await ledger.event(wanted)
            // Said or chosen, it is the same event of the same gallery.
            return (event, selection?.event.id == event.id ? selection?.server : nil)
        }
        guard let selection else {
            throw Unknown(
                description: "say which event the photos belong to: --event NAME, or choose one of a gallery "
                    + "with 'tetherline events select NAME'.")
        }
        return (selection.event, selection.server)
    }

    func atGallery(
        _ wanted: String?, _ account: GalleryAccount, time: any TimeSource
    ) async throws -> BridgeEvent {
        let address = account.api.address
        let selected = try await ledger.selection().flatMap { $0.server == "\(address)" ? $0.event : nil }
        guard let wanted = wanted ?? selected?.id else {
            throw Unknown(
                description: "say which event of \(address) the photos belong to: --event NAME; "
                    + "'tetherline events list' names them.")
        }
        let known: [GalleryEvent]
        switch try await events(of: account, time) {
        case .these(let events): known = events
        case .unknown(let reason):
            guard let event = try await ledger.galleryEvent(wanted) else {
                if case .loggedOut = reason { throw Self.needsLogIn(address) }
                throw Unknown(
                    description:
                        "\(address) cannot be asked now, and no event '\(wanted)' of it is known here. Start "
                        + "once with a network, or leave --server away: photos are kept, and go there when it is "
                        + "given later.")
            }
            switch reason {
            case .loggedOut(let server): report.note("\(GalleryError.loggedOut(server: server))")
            case .credentials(let problem): report.note(problem)
            case .refused, .unanswered, .foreign, nil: break
            }
            report.note("\(address) cannot be asked now; '\(event.name)' is used as it was known last")
            return event
        }
        let found = known.first { $0.id == wanted } ?? known.first { $0.name == wanted }
        guard let found else {
            let names = known.prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
            throw Unknown(
                description: "there is no event '\(wanted)' at \(address)"
                    + (names.isEmpty ? "" : "; there are \(names)")
                    + ". 'tetherline events create NAME' makes one.")
        }
        let event = BridgeEvent(id: found.id, name: found.name)
        try await ledger.adopt(event)
        return event
    }

    private static func needsLogIn(_ address: GalleryAddress) -> NotLoggedIn {
        NotLoggedIn(
            description:
                "there is no log-in at \(address), and no event of it is known here; log in first: tetherline login \(address)"
                + (address.isEncrypted ? "" : " --plain-http"))
    }

    private enum Answer {
        case these([GalleryEvent])
        /// The gallery cannot be asked now.
        case unknown(GalleryError?)
    }

    private func events(of account: GalleryAccount, _ time: any TimeSource) async throws -> Answer {
        do {
            let events = try await withDeadline(time.now + Self.timeout, of: time) {
                try await account.perform { token throws(GalleryError) in
                    try await account.api.events(token)
                }
            }
            return events.map { .these($0) } ?? .unknown(nil)
        } catch let error as GalleryError {
            switch error {
            case .unanswered(.certificate, _): throw error
            case .unanswered, .foreign, .loggedOut, .credentials: return .unknown(error)
            case .refused(let refusal):
                guard refusal.status >= 500 || refusal.status == 429 else { throw error }
                return .unknown(error)
            }
        }
    }

    /// Nothing when the time has come.
    private func withDeadline<Value: Sendable>(
        _ deadline: Duration, of time: any TimeSource, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await time.sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
