import Basics
import Bridge
import Posix
import Store
import Upload

/// What lets us into a server or a bucket: asked for, and kept in a file of the home that only its owner may read.
extension SetupWorker {
    /// A file of the home that an address names with `credentials=`.
    struct SecretFile {
        let folder: Directory
        let name: String
        /// What was in it before.
        let former: [UInt8]?
        var path: String { "\(folder.path)/\(name)" }

        /// Another place may use what was in it.
        func forget() throws {
            guard let former else { return try folder.remove(name) }
            try writeAtomically(former, to: name, in: folder)
        }
    }

    /// Nothing where the address names such a file, the environment has what is needed, or nothing is.
    func secret(for url: String) async throws -> SecretFile? {
        guard !url.contains("credentials=") else { return nil }
        if case .bucket(let address, _) = try DestinationAddress(url) { return try await keys(for: address) }
        return try await login(for: url)
    }

    // MARK: A server's password

    private func login(for url: String) async throws -> SecretFile? {
        let scheme = url.prefix { $0 != ":" }
        guard scheme != "file", !url.contains("key=") else { return nil }
        let variable = DestinationAddress.passwordVariable(url)
        let authority = url.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return nil }
        let (user, host) = (authority[..<at], authority[authority.index(after: at)...])
        if let known = Program.environment(variable), !known.isEmpty {
            printOutput("The password is that of \(variable) in the environment.")
            guard try await mayKeep() else { return nil }
            return try keep(
                "\(try PercentEncoding.decoded(user)):\(known)\n", as: "\(scheme)-\(host)-\(user)")
        }
        let otherwise = scheme == "sftp" ? "your key in ~/.ssh" : "none"
        let password = try await SecretLine.read(
            Visible("Password of \(user) at \(host) (Enter for \(otherwise)): ").description, on: reactor)
        guard !password.isEmpty else { return nil }
        let plain = try PercentEncoding.decoded(user)
        return try keep("\(plain):\(password)\n", as: "\(scheme)-\(host)-\(user)")
    }

    // MARK: A bucket's keys

    /// Those that every S3 tool finds here are used without a question.
    private func keys(for address: S3Address) async throws -> SecretFile? {
        switch address.keys(DirectDestinations.environment) {
        case .found(let source):
            printOutput(Visible("The keys are those of \(source).").description)
            guard let keys = address.keysInEnvironment(DirectDestinations.environment), try await mayKeep()
            else { return nil }
            return try keep(id: keys.id, secret: keys.secret, of: address)
        case .missing(let problem):
            printOutput(Visible("\(problem)").description)
        }
        let id = try await SecretLine.read(
            Visible("Access key ID of \(address.bucket) (Enter for none): ").description, isHidden: false,
            on: reactor)
        guard !id.isEmpty else { return nil }
        let secret = try await SecretLine.read("Its secret access key: ", on: reactor)
        guard !secret.isEmpty else { return nil }
        return try keep(id: id, secret: secret, of: address)
    }

    private func keep(id: String, secret: String, of address: S3Address) throws -> SecretFile {
        guard Self.isKey(id), Self.isKey(secret) else {
            throw Unclear(description: "A key has letters, digits and signs, without a space among them.")
        }
        let text = "[default]\naws_access_key_id = \(id)\naws_secret_access_key = \(secret)\n"
        return try keep(text, as: "s3-\(address.bucket)-\(id)")
    }

    // MARK: What only this terminal has

    /// Whether what the environment has is written into a file: a service, and another terminal, do not have it.
    private func mayKeep() async throws -> Bool {
        let prompt =
            "A service would not have it. Keep it in a file of this home, which only you may read? [Y/n] "
        let answer = try await SecretLine.read(prompt, isHidden: false, on: reactor).lowercased()
        return ["", "y", "yes"].contains(answer)
    }

    /// What the places of the settings go by and a service does not have: the names of variables that are set here.
    static func variables(of places: [DestinationAddress]) -> [String] {
        let environment = DirectDestinations.environment
        let names = places.flatMap { place -> [String] in
            let url = place.url
            func leavesOpen(_ item: String) -> Bool { !url.contains("\(item)=") }
            switch place {
            case .folder: return []
            case .bucket:
                return environment.keys.filter { name in
                    switch name {
                    case "AWS_REGION", "AWS_DEFAULT_REGION": leavesOpen("region")
                    case "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3": leavesOpen("endpoint")
                    default: name.hasPrefix("AWS_") && leavesOpen("credentials") && leavesOpen("profile")
                    }
                }
            case .webDAV:
                let names = ["TETHERLINE_WEBDAV_USER", "TETHERLINE_WEBDAV_PASSWORD"]
                return leavesOpen("credentials") ? names : []
            case .files:
                let isOpen = leavesOpen("credentials") && leavesOpen("key")
                return isOpen ? [DestinationAddress.passwordVariable(url)] : []
            }
        }
        return Set(names).filter { environment[$0]?.isEmpty == false }.sorted()
    }

    /// One word, which a file of keys holds as it is.
    private static func isKey(_ text: String) -> Bool {
        text.allSatisfy {
            $0.isASCII && !$0.isWhitespace && $0.asciiValue.map { $0 > 32 && $0 < 127 } == true
        }
    }

    private func keep(_ text: String, as name: String) throws -> SecretFile {
        let folder = try Directory.make(path: "\(try home.make().path)/credentials", mode: 0o700)
        let safe = name.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" }.prefix(100)
        let file = SecretFile(
            folder: folder, name: String(safe), former: try Self.contents(of: String(safe), in: folder))
        try writeAtomically(Array(text.utf8), to: file.name, in: folder)
        return file
    }

    private static func contents(of name: String, in folder: Directory) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try ReadableFile.contents(of: "\(folder.path)/\(name)", limit: 1 << 16)
        } catch {
            guard error.kind == .missing else { throw error }
            return nil
        }
    }
}
