import Posix

/// How a store is reached, from an address, the environment and the files that every S3 tool reads.
package struct S3Settings: Sendable {
    /// What the operator said where the bucket was named. It wins.
    package struct Choice: Equatable, Sendable {
        package var profile: String?
        /// A file as `~/.aws/credentials` is one, and the only one that counts then.
        package var credentialsFile: String?
        package var region: String?
        package var endpoint: String?
        package var style: S3Site.Style?

        package init(
            profile: String? = nil, credentialsFile: String? = nil, region: String? = nil,
            endpoint: String? = nil, style: S3Site.Style? = nil
        ) {
            self.profile = profile
            self.credentialsFile = credentialsFile
            self.region = region
            self.endpoint = endpoint
            self.style = style
        }
    }

    package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package let keys: S3Keys
    private let place: Place
    package var region: String { place.region }
    /// Nothing for Amazon's own.
    package var endpoint: String? { place.endpoint }
    package var style: S3Site.Style? { place.style }

    /// Where Amazon itself begins, and what other stores take when nothing else was agreed upon.
    private static let usualRegion = "us-east-1"

    /// What is looked up in an environment: the names that every S3 tool knows.
    package static let variables = [
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "HOME",
    ]

    /// Reads two small files.
    package init(_ choice: Choice, environment: [String: String]) throws(Problem) {
        let files = try Files(environment, choice)
        place = Place(choice, environment, files)
        keys = try files.keys(environment)
    }

    /// Where a store is: known before there are keys, so that it is the keys that are missing and not the way.
    package struct Place: Sendable {
        let region: String
        /// Nothing for Amazon's own.
        let endpoint: String?
        let style: S3Site.Style?

        /// Reads two small files.
        package init(_ choice: Choice, environment: [String: String]) throws(Problem) {
            self.init(choice, environment, try Files(environment, choice))
        }

        fileprivate init(_ choice: Choice, _ environment: [String: String], _ files: Files) {
            region =
                choice.region ?? environment.said("AWS_REGION") ?? environment.said("AWS_DEFAULT_REGION")
                ?? files["region"] ?? S3Settings.usualRegion
            endpoint = choice.endpoint ?? S3Settings.endpoint(environment, files)
            style = choice.style ?? files["s3.addressing_style"].flatMap(S3Site.Style.init(rawValue:))
        }
    }

    private static func endpoint(_ environment: [String: String], _ files: Files) -> String? {
        let ignores =
            environment.said("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
            ?? files["ignore_configured_endpoint_urls"]
        if ignores?.lowercased() == "true" { return nil }
        return environment.said("AWS_ENDPOINT_URL_S3") ?? environment.said("AWS_ENDPOINT_URL")
            ?? files.service("s3.endpoint_url") ?? files["endpoint_url"]
    }
}

/// The two files, and the profile that counts in them.
private struct Files {
    private let choice: S3Settings.Choice
    private let profile: String
    private let configPath: String
    private let credentialsPath: String
    private let config: ProfileFile
    private let credentials: ProfileFile

    init(_ environment: [String: String], _ choice: S3Settings.Choice) throws(S3Settings.Problem) {
        self.choice = choice
        // What the environment says of a profile is about the user's own files.
        let usual =
            choice.credentialsFile == nil
            ? environment.said("AWS_PROFILE") ?? environment.said("AWS_DEFAULT_PROFILE") : nil
        profile = choice.profile ?? usual ?? "default"
        let user = environment.said("HOME") ?? ""
        func place(_ variable: String, _ usual: String) -> String {
            guard let said = environment.said(variable) else { return "\(user)/.aws/\(usual)" }
            // No shell has looked at it where a service's settings say it.
            return said.hasPrefix("~/") ? user + said.dropFirst() : said
        }
        configPath = place("AWS_CONFIG_FILE", "config")
        credentialsPath =
            choice.credentialsFile ?? place("AWS_SHARED_CREDENTIALS_FILE", "credentials")
        config = try Self.read(configPath)
        credentials = try Self.read(credentialsPath)
    }

    private static func read(_ path: String) throws(S3Settings.Problem) -> ProfileFile {
        do throws(SystemError) {
            let bytes = try ReadableFile.contents(of: path, limit: ProfileFile.mostBytes)
            return ProfileFile(String(decoding: bytes, as: UTF8.self))
        } catch {
            if error.kind == .missing { return ProfileFile("") }
            throw S3Settings.Problem(description: "\(error)")
        }
    }

    private var inConfig: [String: String] {
        (profile == "default" ? config["default"] : nil) ?? config["profile \(profile)"] ?? [:]
    }

    subscript(_ name: String) -> String? {
        let value = credentials[profile]?[name] ?? inConfig[name]
        return value?.isEmpty == true ? nil : value
    }

    /// A profile may name a section of services that has the setting.
    func service(_ name: String) -> String? {
        self["services"].flatMap { config["services \($0)"]?[name] }
    }

    /// The environment before the files, but for a profile or a file that was named with the bucket.
    func keys(_ environment: [String: String]) throws(S3Settings.Problem) -> S3Keys {
        let isChosen = choice.profile != nil || choice.credentialsFile != nil
        if !isChosen, let keys = try keysInEnvironment(environment) { return keys }
        var places = [(credentialsPath, credentials[profile] ?? [:])]
        if choice.credentialsFile == nil { places.append((configPath, inConfig)) }
        for (path, settings) in places {
            guard let id = settings["aws_access_key_id"], !id.isEmpty else { continue }
            guard let secret = settings["aws_secret_access_key"], !secret.isEmpty else {
                throw S3Settings.Problem(
                    description:
                        "the profile '\(profile)' in \(path) has an aws_access_key_id and no aws_secret_access_key."
                )
            }
            let token = settings["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
            return S3Keys(id: id, secret: secret, token: token, source: "the profile '\(profile)' in \(path)")
        }
        throw missing(isChosen: isChosen)
    }

    private func keysInEnvironment(_ environment: [String: String]) throws(S3Settings.Problem) -> S3Keys? {
        guard let id = environment.said("AWS_ACCESS_KEY_ID") else { return nil }
        guard let secret = environment.said("AWS_SECRET_ACCESS_KEY") else {
            throw S3Settings.Problem(
                description: "the environment has AWS_ACCESS_KEY_ID and no AWS_SECRET_ACCESS_KEY.")
        }
        return S3Keys(
            id: id, secret: secret, token: environment.said("AWS_SESSION_TOKEN"),
            source: "AWS_ACCESS_KEY_ID in the environment")
    }

    private func missing(isChosen: Bool) -> S3Settings.Problem {
        if let path = choice.credentialsFile {
            return S3Settings.Problem(
                description: """
                    there are no keys for S3 in \(path): a file as ~/.aws/credentials is one is meant, with \
                    aws_access_key_id and aws_secret_access_key of the profile '\(profile)'.
                    """)
        }
        let others = [
            "credential_process", "role_arn", "sso_session", "sso_start_url", "web_identity_token_file",
        ]
        if let other = others.first(where: { self[$0] != nil }) {
            return S3Settings.Problem(
                description: """
                    the profile '\(profile)' gets its keys by \(other), which tetherline does not do; \
                    let the AWS command line export them ('aws configure export-credentials --format env').
                    """)
        }
        let places = isChosen ? "" : "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, "
        return S3Settings.Problem(
            description: """
                there are no keys for S3; looked for: \(places)the profile '\(profile)' in \(credentialsPath), \
                and in \(configPath).
                """)
    }
}

extension [String: String] {
    /// What is set to nothing is not set.
    fileprivate func said(_ name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
