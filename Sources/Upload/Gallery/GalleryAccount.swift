package import Basics

/// Our account at one gallery: lends its access token to each caller that asks the gallery for something, and gets a
/// new one once for all that need it.
///
/// Its executor may block: the credentials are written to the disk before a new token is used.
package actor GalleryAccount {
    private nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package nonisolated let api: GalleryAPI
    private let file: CredentialsFile
    private let time: any TimeSource
    /// Only who holds the home's lock spends refresh tokens.
    private let mayRefresh: Bool

    private var tokens: GalleryTokens?
    /// When they came, so that a clock that is wrong does not make each call begin with a refresh.
    private var obtainedAt: Duration?
    /// They could not be written yet; the old ones are still in the file.
    private var unwritten: (old: GalleryTokens, problem: CredentialsFile.Problem)?
    /// What the gallery has said no to. It is not asked again until the operator has logged in.
    private var refusedRefresh: String?
    private var refreshTask: Task<Void, Never>?
    private var waiters: [Int: CheckedContinuation<Refreshed, Never>] = [:]
    private var nextWaiter = 0

    private typealias Refreshed = Result<String, GalleryError>

    /// A token that ends so soon is replaced before it is used.
    static let margin = Duration.seconds(60)
    /// No token is replaced ahead of its end more often than this.
    static let pace = Duration.seconds(60)
    /// How often a refresh whose answer was lost is asked for again at once.
    static let mostTries = 3

    package init(
        api: GalleryAPI, file: CredentialsFile, time: any TimeSource,
        executor: any SerialExecutor & TaskExecutor, mayRefresh: Bool
    ) {
        self.api = api
        self.file = file
        self.time = time
        self.executor = executor
        self.mayRefresh = mayRefresh
    }

    /// Why new tokens are not in the file; nothing while they are. A restart might have to log in again.
    package var problem: String? { unwritten?.problem.description }

    /// Runs one call with a token, and once more with a new one when that was refused.
    package nonisolated func perform<Value: Sendable>(
        _ call: (String) async throws(GalleryError) -> Value
    ) async throws(GalleryError) -> Value {
        let token = try await usable()
        do throws(GalleryError) {
            return try await call(token)
        } catch {
            guard case .refused(let refusal) = error, refusal.status == 401, refusal.isItsOwn else {
                throw error
            }
        }
        let next = try await another(than: token)
        do throws(GalleryError) {
            return try await call(next)
        } catch {
            if case .refused(let refusal) = error, refusal.status == 401, refusal.isItsOwn {
                throw loggedOut
            }
            throw error
        }
    }

    private nonisolated var loggedOut: GalleryError { .loggedOut(server: "\(api.address)") }

    // MARK: Tokens

    /// One that is good as far as we know.
    private func usable() async throws(GalleryError) -> String {
        writeWhatIsUnwritten()
        if tokens == nil { try load() }
        guard let tokens else { throw loggedOut }
        guard mayRefresh, ends(tokens.access, within: Self.margin), !isFresh else { return tokens.access }
        do throws(GalleryError) {
            return try await another(than: tokens.access)
        } catch {
            // It was only ahead of time; the old one is still good for a moment.
            if case .loggedOut = error { throw error }
            if ends(tokens.access, within: .zero) || Task.isCancelled { throw error }
            return tokens.access
        }
    }

    private var isFresh: Bool { obtainedAt.map { time.now - $0 < Self.pace } ?? false }

    private func ends(_ token: String, within margin: Duration) -> Bool {
        guard let expiry = AccessToken.expiry(of: token) else { return false }
        return expiry - (api.wall.wallNow + (api.clock.ahead ?? .zero)) <= margin
    }

    /// Another one than that, which was refused or is about to end.
    private func another(than used: String) async throws(GalleryError) -> String {
        if let tokens, tokens.access != used { return tokens.access }
        // The operator may have logged in, or the bridge that runs may have got a new one.
        try load()
        guard let tokens else { throw loggedOut }
        if tokens.access != used { return tokens.access }
        guard tokens.refresh != refusedRefresh else { throw loggedOut }
        guard mayRefresh else {
            throw .credentials(
                "the log-in at \(api.address) has to be renewed, and that is for the bridge that runs here; try again in a minute."
            )
        }
        return try await refreshed().get()
    }

    /// What the file says, unless we know better.
    private func load() throws(GalleryError) {
        guard unwritten == nil else { return }
        do throws(CredentialsFile.Problem) {
            let stored = try file.read()[api.address]?.tokens
            if stored != tokens { obtainedAt = nil }
            tokens = stored
        } catch {
            throw .credentials(error.description)
        }
    }

    // MARK: Refreshing

    /// Waits for the one refresh that is under way, or begins it. Ends soon when the task is cancelled.
    private func refreshed() async -> Refreshed {
        let id = nextWaiter
        nextWaiter += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: cancelled)
                    return
                }
                waiters[id] = continuation
                if refreshTask == nil { startRefresh() }
            }
        } onCancel: {
            Task(executorPreference: executor) { await self.leave(id) }
        }
    }

    private nonisolated var cancelled: Refreshed {
        .failure(.unanswered(.cancelled, server: "\(api.address)"))
    }

    private func startRefresh() {
        // All of it here, also what belongs to no actor.
        refreshTask = Task(executorPreference: executor) { await self.runRefresh() }
    }

    private func runRefresh() async {
        let result = await refresh()
        refreshTask = nil
        // A waiter came after the last one had left and cancelled it. What ended by itself would only end again.
        if result == cancelled, Task.isCancelled, !waiters.isEmpty { return startRefresh() }
        let waiting = waiters.sorted { $0.key < $1.key }
        waiters = [:]
        for (_, waiter) in waiting { waiter.resume(returning: result) }
    }

    private func leave(_ id: Int) {
        waiters.removeValue(forKey: id)?.resume(returning: cancelled)
        if waiters.isEmpty { refreshTask?.cancel() }
    }

    /// A lost answer is asked for again with the same token: "a spent one presented … before its successor was first
    /// used gets the same successor pair again".
    private func refresh() async -> Refreshed {
        guard let old = tokens else { return .failure(loggedOut) }
        var tries = 0
        while true {
            tries += 1
            do throws(GalleryError) {
                let new = try await api.refresh(old.refresh)
                tokens = new
                obtainedAt = time.now
                unwritten = nil
                write(new, replacing: old)
                return .success(tokens?.access ?? new.access)
            } catch {
                switch error {
                case .unanswered(.broken(_, bodyWasSent: true), _) where tries < Self.mostTries: continue
                case .refused(let refusal) where refusal.saysNoToTheToken: return refused(old)
                default: return .failure(error)
                }
            }
        }
    }

    private func refused(_ old: GalleryTokens) -> Refreshed {
        refusedRefresh = old.refresh
        do throws(GalleryError) {
            try load()
        } catch {
            return .failure(error)
        }
        if let tokens, tokens.refresh != old.refresh { return .success(tokens.access) }
        return .failure(loggedOut)
    }

    // MARK: The file

    /// A disk that takes nothing does not stop uploads, which may be what makes room on it.
    private func write(_ new: GalleryTokens, replacing old: GalleryTokens) {
        do throws(CredentialsFile.Problem) {
            var stored: GalleryTokens?
            try file.update { credentials in
                if credentials[api.address]?.tokens == old { credentials[api.address]?.tokens = new }
                stored = credentials[api.address]?.tokens
            }
            unwritten = nil
            // The operator has logged in or out meanwhile, and that counts.
            tokens = stored
        } catch {
            unwritten = (old, error)
        }
    }

    private func writeWhatIsUnwritten() {
        guard let unwritten, let tokens else { return }
        write(tokens, replacing: unwritten.old)
    }
}

extension GalleryRefusal {
    /// An answer of the gallery's own about what it was given, and not about the moment.
    fileprivate var saysNoToTheToken: Bool {
        isItsOwn && [400, 401, 403, 404, 410, 422].contains(status)
    }
}
