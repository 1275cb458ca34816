import S3
import TestSupport
import Testing

@testable import Gallery

/// What an operator says of where images lie and how guests get them.
@Suite struct ImageOptionTests {
    @Test(
        "what cannot be meant is refused before anything is served, with what to say instead",
        arguments: [
            (["--storage", "s3://key:secret@photos"], "keys: these are in the environment"),
            (["--storage", "s3://photos?endpont=http://a"], "there are endpoint=URL, region=NAME"),
            (["--storage", "s3://photos?endpoint=store"], "is no address of a server"),
            (["--storage", "ftp://x"], "s3://bucket/prefix?endpoint=https://host"),
            (["--images-url", "presigned"], "needs a bucket: --storage s3://bucket/prefix"),
            (["--images-url", "cdn.example.org"], "an address such as https://cdn.example.org"),
            (["--images-url", "https://cdn.example.org/?a=b"], "an address such as https://cdn.example.org"),
            (["--images-url", "https://cdn.example.org;script-src"], "an address such as"),
            (["--purge-url", "cdn"], "--purge-url needs an address"),
            (["--purge-command", "/nowhere/forget"], "--purge-command"),
            (["--purge-command", "/bin/true", "--purge-url", "https://a"], "say one of them"),
            (
                ["--storage", "s3://a", "--images-url", "presigned", "--purge-command", "/bin/true"],
                "leaves caches nothing to forget"
            ),
        ])
    func refused(options: [String], words: String) throws {
        let folder = try TemporaryFolder()
        let said = try #require(Tool(Built.gallery)).run(
            ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0"] + options)
        #expect(said.code == 64, "\(said.text) \(said.errors)")
        #expect(said.errors.contains(words), "\(said.errors)")
        #expect(!said.errors.contains("secret"))
    }

    @Test("a bucket's address says the same here as at a bridge")
    func address() throws {
        let address = try BucketAddress(
            "s3://weddings/2026/a%20b/?endpoint=http://127.0.0.1:9000&region=eu-west-1&style=path&profile=desk"
        )
        #expect(address.bucket == "weddings" && address.prefix == "2026/a b/")
        #expect(
            address.choice
                == S3Settings.Choice(
                    profile: "desk", region: "eu-west-1", endpoint: "http://127.0.0.1:9000", style: .path))
        #expect(try BucketAddress("s3://weddings").prefix == "")
    }
}
