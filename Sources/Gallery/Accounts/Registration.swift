package import Basics
import Digest
import HTTPServer
import Synchronization
import Web

/// Who may make an account by the API. `gallery user add` makes one in any case.
package enum Registration: String, CaseIterable, Sendable {
    case open
    /// Users with an invitation; see `gallery invite`.
    case invite
    case closed
}

/// What lets a user make an account: an invitation, or the code that a server prints while it has no account yet.
///
/// It is written so that it can be read out and typed: no letter looks like another, and its case and its hyphens do not
/// count. Only its hash is kept; 140 random bits cannot be recovered from that.
package struct RegistrationCode: Equatable, Sendable {
    /// "k7m2-9x0d-…"
    package let text: String

    /// Douglas Crockford's: without i, l, o and u.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let groups = 7
    private static let groupLength = 4
    static let longest = 100

    package init(random: any RandomSource) {
        var generator = Randomness(random)
        let groups = (0..<Self.groups).map { _ in
            (0..<Self.groupLength).map { _ in
                Self.digits[Int(generator.next(upperBound: UInt64(Self.digits.count)))]
            }
        }
        text = groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    package var hash: [UInt8] { Self.hash(of: text) }

    /// Of what the user typed.
    static func hash(of typed: String) -> [UInt8] {
        let letters = typed.lowercased().unicodeScalars.compactMap { letter -> UInt8? in
            switch letter {
            case "o": UInt8(ascii: "0")
            case "i", "l": UInt8(ascii: "1")
            case "-", " ": nil
            default: UInt8(exactly: letter.value) ?? UInt8(ascii: "?")
            }
        }
        return SHA256.of(letters).bytes
    }
}

/// What entitles a client to register.
struct RegistrationClaim: Equatable, Sendable {
    /// All may.
    var isOpen = false
    /// May make the first account of a server, and no other: by the code that it has printed, or from its machine.
    var mayBeFirst = false
    var isFromThisMachine = false
    /// The hash of the invitation that came with it.
    var invitation: [UInt8]?
}

extension Accounts {
    /// The code for the first account, to be shown to the operator who starts the server. It is good until there is one,
    /// There is no account yet.
    package func isUnused() async throws -> Bool { try await store { try $0.hasNoAccount() } }

    /// and until the server ends. Nothing where there is an account already.
    package func makeFirstCode() async throws -> RegistrationCode? {
        guard try await isUnused() else { return nil }
        let code = RegistrationCode(random: store.random)
        firstCode.withLock { $0 = code.hash }
        return code
    }

    /// There is an account: the code is good for nothing from now on, whatever becomes of that.
    func spendFirstCode() { firstCode.withLock { $0 = nil } }

    /// Whether a user at this machine asks, and no page in his browser that comes from elsewhere.
    func isFromThisMachine(_ request: Request) -> Bool {
        guard settings.trustsThisMachine, request.client.isThisMachine else { return false }
        return SiteOfRequest(request, publicURL: settings.publicURL).isOwn
    }

    func claim(_ code: String?, isFromThisMachine: Bool) -> RegistrationClaim {
        let hash = code.map(RegistrationCode.hash)
        let isFirstCode = firstCode.withLock { $0 != nil && $0 == hash }
        return RegistrationClaim(
            isOpen: settings.registration == .open,
            mayBeFirst: isFirstCode || isFromThisMachine,
            isFromThisMachine: isFromThisMachine && !isFirstCode,
            invitation: settings.registration == .invite ? hash : nil)
    }

    /// By what an account was made, for the log: where all may make one, a code that came along let no client in.
    func how(_ claim: RegistrationClaim) -> String {
        if claim.isOpen { return "open" }
        return claim.isFromThisMachine && claim.invitation == nil ? "this-machine" : "code"
    }

    /// Why a claim did not do.
    func refusal(of claim: RegistrationClaim, _ code: String?) async throws -> APIError {
        let isFirst = try await store { try $0.hasNoAccount() }
        let message =
            if code != nil, isFirst || settings.registration == .invite {
                "this code is not good, or not any more; ask for another"
            } else if settings.registration == .invite {
                "an account is made with an invitation here; ask the person who runs this gallery for one"
            } else if isFirst {
                "the first account is made by 'gallery user add', or with the code that 'gallery serve' has printed"
            } else {
                "accounts are made by the person who runs this gallery; ask for one"
            }
        return APIError(.forbidden, message)
    }

    // MARK: For the operator

    package struct Invitation: Equatable, Sendable {
        package let code: RegistrationCode
        package let uses: Int
        package let expiresAt: Timestamp
    }

    package static let invitationUses = 1...1000
    package static let invitationDays = 1...365

    /// `gallery invite`: so many accounts may be made with it, for so many days.
    package func invite(uses: Int, days: Int) async throws -> Invitation {
        guard Self.invitationUses.contains(uses), Self.invitationDays.contains(days) else {
            throw APIError(
                .unprocessable,
                "an invitation is for 1 to \(Self.invitationUses.upperBound) accounts and 1 to "
                    + "\(Self.invitationDays.upperBound) days")
        }
        let code = RegistrationCode(random: store.random)
        let end = wallNow + .seconds(86_400 * days)
        try await store { try $0.addInvitation(code.hash, uses: uses, until: end) }
        return Invitation(code: code, uses: uses, expiresAt: end)
    }
}
