import S3
import TestSupport
import Testing

@Suite struct S3SettingsTests {
    let folder: TemporaryFolder
    let files: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        files = [
            "AWS_SHARED_CREDENTIALS_FILE": folder.file("credentials"),
            "AWS_CONFIG_FILE": folder.file("config"),
        ]
    }

    private func settings(
        _ environment: [String: String] = [:], _ choice: S3Settings.Choice = S3Settings.Choice()
    ) throws -> S3Settings {
        try S3Settings(choice, environment: files.merging(environment) { $1 })
    }

    private func problem(
        _ environment: [String: String] = [:], _ choice: S3Settings.Choice = S3Settings.Choice()
    ) -> String? {
        do {
            _ = try settings(environment, choice)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret"]

    @Test("the environment alone is enough")
    func environment() throws {
        let plain = try settings(Self.keys)
        #expect(plain.keys.id == "AKID" && plain.keys.secret == "secret" && plain.keys.token == nil)
        #expect(plain.region == "us-east-1" && plain.endpoint == nil && plain.style == nil)
        let full = try settings(
            Self.keys.merging([
                "AWS_SESSION_TOKEN": "lent", "AWS_DEFAULT_REGION": "eu-west-1",
                "AWS_ENDPOINT_URL": "http://one:1",
            ]) { $1 })
        #expect(full.keys.token == "lent" && full.region == "eu-west-1" && full.endpoint == "http://one:1")
        let special = try settings(
            Self.keys.merging([
                "AWS_DEFAULT_REGION": "eu-west-1", "AWS_REGION": "eu-west-2",
                "AWS_ENDPOINT_URL": "http://one:1",
                "AWS_ENDPOINT_URL_S3": "http://two:2", "AWS_SESSION_TOKEN": "",
            ]) { $1 })
        #expect(special.region == "eu-west-2" && special.endpoint == "http://two:2", "what is for S3 wins")
        #expect(special.keys.token == nil, "what is set to nothing is not set")
    }

    /// As the AWS command line writes them, with what people add.
    private func writeFiles() throws {
        try folder.write(
            """
            # my keys
            [default]
            aws_access_key_id = AKDEFAULT
            aws_secret_access_key=s/default+1=

            [desk]
            aws_access_key_id = AKDESK ; the desk's
            aws_secret_access_key = sdesk
            aws_session_token = tdesk
            [half]
            aws_access_key_id = AKHALF
            """, to: "credentials")
        try folder.write(
            """
            [default]
            region = eu-central-1
            endpoint_url = http://default:1
            [profile desk]
            region = eu-north-1
            services = local
            s3 =
                addressing_style = virtual
                max_concurrent_requests = 20
            output = json
            [services local]
            s3 =
              endpoint_url = http://local:9000
            dynamodb =
              endpoint_url = http://local:8000
            [profile inconfig]
            aws_access_key_id = AKCONFIG
            aws_secret_access_key = sconfig
            [profile process]
            credential_process = /bin/true
            """, to: "config")
    }

    @Test("the files say what the environment does not")
    func profiles() throws {
        try writeFiles()
        let usual = try settings()
        #expect(usual.keys.id == "AKDEFAULT" && usual.keys.secret == "s/default+1=")
        #expect(usual.region == "eu-central-1" && usual.endpoint == "http://default:1")
        let desk = try settings(["AWS_PROFILE": "desk"])
        #expect(desk.keys.id == "AKDESK" && desk.keys.secret == "sdesk" && desk.keys.token == "tdesk")
        #expect(desk.region == "eu-north-1" && desk.endpoint == "http://local:9000")
        #expect(desk.style == .virtual)
        let inConfig = try settings(["AWS_PROFILE": "inconfig"])
        #expect(inConfig.keys.secret == "sconfig" && inConfig.region == "us-east-1")
        let mixed = try settings(Self.keys.merging(["AWS_PROFILE": "desk"]) { $1 })
        #expect(mixed.keys.id == "AKID" && mixed.region == "eu-north-1", "keys of the environment come first")
        let ignoring = try settings(["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"])
        #expect(ignoring.endpoint == nil)
    }

    @Test("the files are in the user's folder unless something else is said")
    func places() throws {
        folder.makeFolder(".aws")
        try folder.write(
            "[default]\naws_access_key_id = A\naws_secret_access_key = B\n", to: ".aws/credentials")
        try folder.write("[default]\nregion = r-9\n", to: "other")
        let user = ["HOME": folder.path, "AWS_CONFIG_FILE": "~/other"]
        let settings = try S3Settings(S3Settings.Choice(), environment: user)
        #expect(settings.keys.id == "A" && settings.region == "r-9")
    }

    @Test("what was said beside the bucket comes before everything")
    func choice() throws {
        try writeFiles()
        let choice = S3Settings.Choice(
            profile: "desk", region: "r-1", endpoint: "http://chosen:1", style: .path)
        let settings = try settings(
            Self.keys.merging(["AWS_REGION": "r-2", "AWS_ENDPOINT_URL_S3": "http://two:2"]) { $1 }, choice)
        #expect(settings.keys.id == "AKDESK")
        #expect(settings.region == "r-1" && settings.endpoint == "http://chosen:1" && settings.style == .path)
    }

    @Test("a file that was named with the bucket is the only one whose keys count, and its errors name it")
    func ownFile() throws {
        try writeFiles()
        try folder.write(
            "[default]\naws_access_key_id = AKOWN\naws_secret_access_key = s/own\n", to: "own")
        let own = S3Settings.Choice(credentialsFile: folder.file("own"))
        let environment = Self.keys.merging(["AWS_PROFILE": "desk"]) { $1 }
        let settings = try settings(environment, own)
        #expect(settings.keys.id == "AKOWN" && settings.keys.secret == "s/own")
        #expect(settings.region == "eu-central-1", "what is no key comes from where it always does")
        for (name, text) in [("gone", nil), ("empty", ""), ("words", "desk:word\n")] {
            if let text { try folder.write(text, to: name) }
            let problem = problem(environment, S3Settings.Choice(credentialsFile: folder.file(name)))
            #expect(problem?.contains(folder.file(name)) == true, "\(problem ?? "none")")
        }
        let other = S3Settings.Choice(profile: "desk", credentialsFile: folder.file("own"))
        #expect(problem(environment, other)?.contains("'desk'") == true)
    }

    @Test("what is missing is said, with every place that was looked at")
    func missing() throws {
        #expect(
            problem()
                == "there are no keys for S3; looked for: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
                + "environment, the profile 'default' in \(folder.file("credentials")), and in "
                + "\(folder.file("config")).")
        try writeFiles()
        #expect(
            problem(Self.keys, S3Settings.Choice(profile: "nobody"))
                == "there are no keys for S3; looked for: the profile 'nobody' in "
                + "\(folder.file("credentials")), and in \(folder.file("config")).")
        #expect(problem(["AWS_PROFILE": "half"])?.contains("no aws_secret_access_key") == true)
        #expect(problem(["AWS_ACCESS_KEY_ID": "A"])?.contains("no AWS_SECRET_ACCESS_KEY") == true)
        #expect(problem(["AWS_PROFILE": "process"])?.contains("credential_process") == true)
    }

    @Test("a secret is in nothing that is printed")
    func secrets() throws {
        let keys = S3Keys(id: "AKID", secret: "hush", token: "hush", source: "a test")
        #expect(!"\(keys) \(String(reflecting: keys))".contains("hush"))
    }

    static let sites: [(bucket: String, endpoint: String?, style: S3Site.Style?, url: String)] = [
        ("photos", nil, nil, "https://photos.s3.eu-west-1.amazonaws.com/a%20b/%C3%BC.JPG"),
        ("my.photos", nil, nil, "https://s3.eu-west-1.amazonaws.com/my.photos/a%20b/%C3%BC.JPG"),
        ("photos", nil, .path, "https://s3.eu-west-1.amazonaws.com/photos/a%20b/%C3%BC.JPG"),
        ("photos", "http://127.0.0.1:8333", nil, "http://127.0.0.1:8333/photos/a%20b/%C3%BC.JPG"),
        ("photos", "https://Store.example:443/", nil, "https://store.example/photos/a%20b/%C3%BC.JPG"),
        (
            "photos", "https://store.example/base/", .path,
            "https://store.example/base/photos/a%20b/%C3%BC.JPG"
        ),
        ("photos", "http://store:80", .virtual, "http://photos.store/a%20b/%C3%BC.JPG"),
        ("photos", "http://[::1]:9000", nil, "http://[::1]:9000/photos/a%20b/%C3%BC.JPG"),
        ("photos", "http://[::1]", nil, "http://[::1]/photos/a%20b/%C3%BC.JPG"),
    ]

    @Test("a bucket has its place in the host or in the path", arguments: sites)
    func site(bucket: String, endpoint: String?, style: S3Site.Style?, url: String) throws {
        let site = try S3Site(bucket: bucket, region: "eu-west-1", endpoint: endpoint, style: style)
        #expect(site.url(path: site.path(of: "a b/ü.JPG"), query: "") == url)
    }

    @Test(
        "an endpoint that is none is refused",
        arguments: [
            "", "store", "ftp://store", "http://", "http://:80", "http://store:0", "http://store:x",
            "http://store:70000", "http://user@store", "http://store?a", "http://a b",
        ])
    func endpoints(endpoint: String) throws {
        #expect(throws: S3Settings.Problem.self) {
            try S3Site(bucket: "photos", region: "eu-west-1", endpoint: endpoint)
        }
    }
}
