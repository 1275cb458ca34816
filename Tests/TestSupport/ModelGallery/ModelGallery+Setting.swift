import Synchronization

/// An account that is logged in.
public struct ModelAccount: Sendable {
    public let id: String
    public let email: String
    public let password: String
    public let access: String
    public let refresh: String
}

/// What a test sets up and changes, without a request.
extension ModelGallery {
    public func account(
        email: String = "ann@example.org", password: String = "correct horse"
    ) -> ModelAccount {
        let now = now
        return state.withLock { state in
            let account =
                state.accounts[email]
                ?? ModelGalleryState.Account(
                    id: state.newID(), email: email, password: password, displayName: "Ann")
            state.accounts[email] = account
            let pair = state.newPair(account.id, at: now)
            state.families.append(ModelFamily(account: account.id, pairs: [pair]))
            return ModelAccount(
                id: account.id, email: email, password: account.password, access: pair.access,
                refresh: pair.refresh)
        }
    }

    /// An event of that account; its id.
    public func event(_ name: String = "Wedding", of account: ModelAccount) -> String {
        state.withLock { state in
            let event = ModelGalleryState.Event(id: state.newID(), account: account.id, name: name)
            state.events.append(event)
            return event.id
        }
    }

    public func change(_ body: (inout Rules) -> Void) {
        state.withLock { body(&$0.rules) }
    }

    /// The next uploads that are worked on fail like this.
    public func failProcessing(_ code: String, _ message: String = "it did not work", times: Int = 1) {
        state.withLock { state in
            state.failures += Array(repeating: (code, message), count: times)
        }
    }

    public func setConsent(_ isGiven: Bool, of account: ModelAccount) {
        state.withLock { $0.accounts[account.email]?.hasConsented = isGiven }
    }

    /// The event is over.
    public func expire(_ event: String) {
        let now = now
        state.withLock { state in
            for index in state.events.indices where state.events[index].id == event {
                state.events[index].expiresAt = now
            }
        }
    }

    /// This account is logged out everywhere.
    public func revoke(_ account: ModelAccount) {
        state.withLock { state in
            for index in state.families.indices where state.families[index].account == account.id {
                state.families[index].isRevoked = true
            }
        }
    }

    /// Access tokens end before they said they would.
    public func expireAccessTokens() {
        state.withLock { state in
            for index in state.families.indices {
                for pair in state.families[index].pairs.indices {
                    state.families[index].pairs[pair].isExpired = true
                }
            }
        }
    }

    /// The server has lost an upload.
    public func forget(_ upload: String) {
        state.withLock { state in
            guard let forgotten = state.uploads.removeValue(forKey: upload) else { return }
            // A client with its URL may still use it, and gets an error.
            state.forgottenPlaces.formUnion(forgotten.places.map(\.path))
        }
    }
}
