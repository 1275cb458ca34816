package import Basics
package import Bridge
package import Store
package import TestSupport

/// Where a bridge touches what outlives it. It can be stopped at each of these moments, and then nothing of it gets
/// through any more: for the ledger, the spool and the gallery it was killed.
package final class Mortality: Sendable {
    package struct Killed: Error {}

    /// Before and after each request and each call of the ledger.
    package let effects = Shared(0)
    package let isDead = Shared(false)
    private let last: Int?

    package init(after last: Int? = nil) {
        self.last = last
    }

    package func effect() throws(Killed) {
        let count = effects.change { count in
            count += 1
            return count
        }
        if let last, count > last { isDead.change { $0 = true } }
        if isDead.value { throw Killed() }
    }
}

/// What went over the network and when.
package final class GalleryWire: HTTPTransport {
    package struct Sent: Sendable {
        package let call: ModelCall
        package let at: Duration
    }

    /// So many requests in one moment are more than any bridge has photos for in these tests.
    private static let most = 500

    package let sent = Shared<[Sent]>([])
    /// What goes wrong with the request of this number, counted from zero.
    package let plan: Shared<@Sendable (Int, ModelCall, HTTPRequest) -> ModelFault?> = Shared { _, _, _ in nil
    }
    /// It was asked again and again without a moment's pause.
    package let isHot = Shared(false)
    private let gallery: ModelGallery
    private let clock: ManualClock
    private let life: Shared<Mortality>

    package init(_ gallery: ModelGallery, _ clock: ManualClock, _ life: Shared<Mortality>) {
        self.gallery = gallery
        self.clock = clock
        self.life = life
    }

    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let life = life.value
        let call = ModelCall(request, base: gallery.base)
        try pass(life)
        let now = clock.now
        let number = sent.change { sent in
            sent.append(Sent(call: call, at: now))
            return sent.count - 1
        }
        if number >= Self.most, sent.value[number - Self.most].at == now {
            isHot.change { $0 = true }
            life.isDead.change { $0 = true }
            throw .cancelled
        }
        if let fault = plan.value(number, call, request) { gallery.fail(call, fault) }
        let result: Result<HTTPResponse, HTTPFailure>
        do throws(HTTPFailure) {
            result = .success(try await gallery.send(request))
        } catch {
            result = .failure(error)
        }
        try pass(life)
        return try result.get()
    }

    private func pass(_ life: Mortality) throws(HTTPFailure) {
        do throws(Mortality.Killed) {
            try life.effect()
        } catch {
            throw .cancelled
        }
    }

    package func forgetConnections() {}

    package func count(_ call: ModelCall, since start: Duration = .zero) -> Int {
        sent.value.count { $0.call == call && $0.at >= start }
    }
}

/// The ledger of a bridge that may be killed.
package final class MortalLedger: UploadLedger {
    private let ledger: Ledger
    private let life: Mortality
    /// What was written, one transaction after the other.
    package let saves: Shared<[[JobChange]]>

    package init(_ ledger: Ledger, _ life: Mortality, saves: Shared<[[JobChange]]>) {
        self.ledger = ledger
        self.life = life
        self.saves = saves
    }

    private func effect<Value>(_ body: () async throws -> Value) async throws -> Value {
        try life.effect()
        let value = try await body()
        try life.effect()
        return value
    }

    package func claim(_ count: Int, to destination: DestinationID, newestFirst: Bool) async throws -> [Job] {
        try await effect { try await ledger.claim(count, to: destination, newestFirst: newestFirst) }
    }

    package func claimSent(_ count: Int, to destination: DestinationID) async throws -> [Job] {
        try await effect { try await ledger.claimSent(count, to: destination) }
    }

    package func release(_ jobs: [JobID]) async throws {
        try await effect { try await ledger.release(jobs) }
    }

    package func save(_ changes: [JobChange]) async throws -> [JobMismatch] {
        let mismatches = try await effect { try await ledger.save(changes) }
        saves.change { $0.append(changes) }
        return mismatches
    }
}
