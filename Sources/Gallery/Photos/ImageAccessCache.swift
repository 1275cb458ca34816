package import Basics
import HTTPServer
import Synchronization

/// What stands behind the keys of images, and whose log-ins go on, as far as it was asked for since the last change: a
/// request for what is known is answered on the network's own thread, and what is not is looked up aside.
package final class ImageAccessCache: Sendable {
    package struct Image: Equatable, Sendable {
        package let key: String
        package let owner: String
        package let event: String
        package let pinHash: String?
        /// Of its event; guests may look until then.
        package let expiresAt: Timestamp?
        package let isHidden: Bool
        package let allowsOriginals: Bool
        package let guestKey: GuestLinkKey
        package let type: String
        package let size: UInt64
        let isOriginal: Bool
        /// Nothing for what no viewer saves: renditions for the wall.
        let names: Names?
        let forGuests: GuestAnswer

        /// Whether guests who are in may have it.
        func isForGuests(at now: Timestamp) -> Bool {
            !isHidden && (expiresAt.map { $0 > now } ?? true) && (!isOriginal || allowsOriginals)
        }
    }

    /// An image's name, in the headers that say it: made once, and not for each request.
    final class Names: Equatable, Sendable {
        let shown: String
        let saved: String

        static func == (left: Names, right: Names) -> Bool { left.shown == right.shown }

        init(_ name: String) {
            shown = ContentDisposition.shown(as: name)
            saved = ContentDisposition.saved(as: name)
        }
    }

    /// What guests are answered who ask for an image by its own address alone: the same to all of them, and made once.
    final class GuestAnswer: Equatable, Sendable {
        let path: String
        private let kept = Mutex<(answer: Response, copy: NearCopy?)?>(nil)

        static func == (left: GuestAnswer, right: GuestAnswer) -> Bool { left.path == right.path }

        init(_ key: String) {
            path = ImageAddresses.path(key)
        }

        /// Nothing where none was made yet, or its copy is not there any more.
        func answer(at now: Timestamp) -> Response? {
            guard let kept = kept.withLock(\.self) else { return nil }
            return kept.copy?.isThere(at: now) == false ? nil : kept.answer
        }

        func keep(_ answer: Response, of copy: NearCopy?) {
            kept.withLock { $0 = (answer, copy) }
        }
    }

    private struct Login: Hashable {
        let account: String
        let family: String
    }

    private struct State {
        var images: [String: Image] = [:]
        /// At least those that images are known of.
        var events: Set<String> = []
        /// Those that have not ended.
        var logins: Set<Login> = []
        /// How often something was forgotten: what was looked up before that may be as it was before.
        var forgotten = 0
        /// Everything is looked up again when this has come.
        var end = Duration.zero

        mutating func forgetAll() {
            (images, events, logins) = ([:], [], [])
            forgotten += 1
        }

        mutating func renew(at now: Duration, for span: Duration) {
            guard now >= end else { return }
            forgetAll()
            end = now + span
        }
    }

    private let state = Mutex(State())
    private let reader: ReaderPool
    /// Enough for the pages that are looked at; when there are more it begins anew.
    private static let mostImages = 50_000
    private static let mostLogins = 10_000
    /// For several nodes: a change that was committed, and that this one has neither heard of nor found, is overlooked for no
    /// longer. A single node hears of every change.
    static let longestMemory = Duration.seconds(60)
    private let clock: (any TimeSource)?

    /// `clock` is that of one node among several.
    package init(reader: ReaderPool, sharedBy clock: (any TimeSource)? = nil) {
        self.reader = reader
        self.clock = clock
    }

    private func locked<Result>(_ body: (inout State) -> Result) -> Result where Result: Sendable {
        let now = clock?.now
        return state.withLock { state in
            if let now { state.renew(at: now, for: Self.longestMemory) }
            return body(&state)
        }
    }

    // MARK: Without waiting

    /// Nothing where it has to be looked up first.
    package func known(_ key: String) -> Image? {
        locked { $0.images[key] }
    }

    /// Whether that log-in is known to go on. Where it is not, it has to be looked up.
    func isKnownLogin(_ account: String, family: String) -> Bool {
        locked { $0.logins.contains(Login(account: account, family: family)) }
    }

    // MARK: By looking it up

    package func find(_ key: String) async throws -> Image? {
        guard ObjectKey.isKey(key) else { return nil }
        if let known = known(key) { return known }
        let forgotten = state.withLock { $0.forgotten }
        guard let image = try await reader({ try $0.image(key) }) else { return nil }
        state.withLock { state in
            guard state.forgotten == forgotten else { return }
            if state.images.count >= Self.mostImages { state.images = [:] }
            state.images[key] = image
            state.events.insert(image.event)
        }
        return image
    }

    func isLoggedIn(_ account: String, family: String) async throws -> Bool {
        if isKnownLogin(account, family: family) { return true }
        let forgotten = state.withLock { $0.forgotten }
        guard try await reader({ try $0.isLoggedIn(account, family: family) }) else { return false }
        state.withLock { state in
            guard state.forgotten == forgotten else { return }
            if state.logins.count >= Self.mostLogins { state.logins = [] }
            state.logins.insert(Login(account: account, family: family))
        }
        return true
    }

    // MARK: Changes

    /// A photo was deleted, hidden or shown: its images. Those of all others stay known.
    func forget(_ keys: [String]) {
        state.withLock { state in
            for key in keys { state.images[key] = nil }
            state.forgotten += 1
        }
    }

    /// Something in an event was changed by another node.
    func forget(event: String) {
        state.withLock { state in
            if state.events.contains(event) {
                state.images = state.images.filter { $0.value.event != event }
                state.events.remove(event)
            }
            state.forgotten += 1
        }
    }

    /// An event was closed or opened. From now on nothing is found as it was before.
    package func forget() {
        state.withLock { $0.forgetAll() }
    }

    /// Some log-ins have ended.
    func forgetLogins() {
        state.withLock { state in
            state.logins = []
            state.forgotten += 1
        }
    }
}
