import Basics
package import HTTPServer

/// One's own password, known or forgotten.
extension Accounts {
    /// POST /me/password. All other log-ins end with the old one.
    package func changePassword(_ request: Request) async throws -> Response {
        let (account, token) = try await login(of: request)
        let wish = try JSONFields.read(request) { fields in
            (
                old: fields.required("current", .text(0...AccountRules.longestPassword, .secret)),
                new: fields.required("new", AccountRules.password)
            )
        }
        try await passwords.limitChange(of: account.id)
        let wrong = APIError(.forbidden, "the current password is wrong")
        guard let known = try await store({ try $0.credentials(email: account.email) })?.hash,
            try await hasher.check(wish.old, against: known) != .wrong
        else { throw wrong }
        let hash = try await hasher.make(wish.new)
        guard
            try await store({
                try $0.changePassword(
                    of: account.id, from: known, to: hash, keeping: token.family)
            })
        else { throw wrong }
        try await passwords.forgetChanges(of: account.id)
        return Response(status: 204)
    }

    /// POST /auth/forgot. The same answer for every address, and nothing is looked up before it is given.
    package func forgotPassword(_ request: Request) async throws -> Response {
        let email = try JSONFields.read(request) { $0.required("email", AccountRules.email) }
        guard settings.mail != nil else {
            throw APIError(
                .forbidden,
                "this gallery sends no mail; ask the person who runs it for a link for a new password")
        }
        try await passwords.limitAsking(from: request.peer)
        passwords.note(forgotten: email)
        return .data([:], status: 202)
    }

    /// POST /auth/reset
    package func setPassword(_ request: Request) async throws -> Response {
        let wish = try JSONFields.read(request) { fields in
            (
                token: fields.required("token", .text(1...100, .secret)),
                new: fields.required("new", AccountRules.password)
            )
        }
        let refusal = APIError(
            .forbidden,
            "this link is not good any more: it is used up, or older than half an hour; ask for another")
        // Only spares the hashing: what counts is whether it is good when it is used.
        guard try await store({ try $0.account(ofLink: wish.token) }) != nil else { throw refusal }
        let hash = try await hasher.make(wish.new)
        guard try await store({ try $0.setPassword(byLink: wish.token, hash: hash) }) != nil else {
            throw refusal
        }
        return Response(status: 204)
    }

    // MARK: Links

    /// Mails links to users who have forgotten their passwords, one after the other, until the task is cancelled.
    package func mailLinks(_ log: GalleryLog) async {
        for await email in passwords.forgotten {
            do {
                _ = try await mailLink(to: email)
            } catch {
                log.warning("the link for a new password of \(email) could not be mailed: \(error)")
            }
        }
    }

    /// False where there is no such account, or enough mails went there of late.
    func mailLink(to email: String) async throws -> Bool {
        guard let mail = settings.mail, let publicURL = settings.publicURL else {
            throw APIError(
                .conflict,
                "the gallery sends no mail: a server that runs is started with --smtp and --public-url; where none runs, "
                    + "give both to this command")
        }
        let link = PasswordLink(random: store.random)
        guard let account = try await store({ try $0.addLink(link, forAccount: email, isMailed: true) })
        else {
            return false
        }
        try await mail.carry(
            Mail(
                from: mail.from, to: account.email, subject: "A new password for your gallery",
                text: Self.words(link.url(publicURL), publicURL), at: wallNow,
                id: Randomness.uuid(from: store.random)))
        return true
    }

    private static func words(_ link: String, _ publicURL: String) -> String {
        """
        A new password was asked for, for your account at
        \(publicURL)

        Choose one here, within half an hour:
        \(link)

        It works once. Everything that is logged in with the old password is
        logged out then, the bridge too. If it was not you who asked, do nothing:
        your password stays as it is.
        """
    }

    /// `gallery user password`: for the operator to hand over.
    package func passwordLink(for email: String, publicURL: String) async throws -> String {
        let link = PasswordLink(random: store.random)
        guard
            try await store({ try $0.addLink(link, forAccount: email.lowercased(), isMailed: false) }) != nil
        else {
            throw APIError.notFound("account: \(email)")
        }
        return link.url(publicURL)
    }

    /// `gallery user password --mail`
    package func mailPasswordLink(to email: String) async throws {
        guard try await store({ try $0.credentials(email: email.lowercased()) }) != nil else {
            throw APIError.notFound("account: \(email)")
        }
        guard try await mailLink(to: email.lowercased()) else {
            throw APIError(
                .conflict,
                "\(PasswordLink.mostMails) mails went to \(email) in the past hour; wait, or print a link")
        }
    }
}
