import Basics
import TestSupport
import Testing

@testable import Gallery

/// The real program whose images come from a real bucket.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"),
    .enabled(if: Tool.isThere("convert") && Tool.isThere("curl"), "ImageMagick or curl is not installed"))
struct PresignedTests {
    private static func header(_ name: String, of answer: Wire.Answer) -> String? {
        answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    private static func bucket() throws -> (store: SeaweedFS, program: GalleryProgram) {
        let store = try SeaweedFS.shared.get()
        var environment = store.environment
        environment["AWS_ENDPOINT_URL"] = nil
        environment["AWS_REGION"] = nil
        let address =
            "s3://\(try store.makeBucket())/a%20party/2026?endpoint=\(store.endpoint)&region=us-east-1&style=path"
        return (
            store,
            try GalleryProgram(["--storage", address, "--images-url", "presigned"], environment: environment)
        )
    }

    @Test(
        "who may look is sent to the bucket by an address that is good for a minute at most; who may not is not"
    )
    func redirect() async throws {
        try await aside {
            let (store, program) = try Self.bucket()
            let event = try OpenEvent(at: program)
            let kiss = try event.upload("kiss.jpg")
            let page = try Wire(program.port).ask("GET", "/e/\(event.slug)")
            #expect(page.head.contains("img-src 'self' \(store.endpoint) data:;"), "\(page.head)")
            let told = try event.guests(of: kiss)
            for name in ["thumbUrl", "tileUrl", "screenUrl", "originalUrl"] {
                let path = try #require(told[name]?.string)
                let sent = try Wire(program.port).ask("GET", path)
                #expect(sent.status == 302, "\(sent.head)")
                #expect(Self.header("Cache-Control", of: sent) == "private, max-age=30")
                let url = try #require(Self.header("Location", of: sent))
                #expect(url.hasPrefix("\(store.endpoint)/"))
                let life = try #require(url.firstMatch(of: /X-Amz-Expires=(\d+)/).flatMap { Int($0.1) })
                #expect((31...60).contains(life), "longer than the redirect is kept, and a minute at most")
                let got = try #require(Tool("curl")).run(
                    ["-s", "-g", "-D", "-", "-o", "/dev/null", "-w", "%{http_code} %{content_type}", url])
                #expect(got.text.hasSuffix("200 image/jpeg"), "\(got.text)")
                let isOfWall = ["thumbUrl", "tileUrl"].contains(name)
                let how = isOfWall ? nil : name == "screenUrl" ? "inline" : "attachment"
                let line = got.text.split(separator: "\r\n").first {
                    $0.lowercased().hasPrefix("content-disposition: ")
                }
                #expect(line?.contains("\(how ?? "?"); filename=\"kiss.jpg\"") ?? (how == nil), "\(got.text)")
            }
            let own = try program.ask("GET", "/images/\(try #require(kiss["thumbKey"]?.string))")
            #expect(own.status == 302 && Self.header("Cache-Control", of: own) == "no-store")
            try event.hide(kiss)
            for name in ["thumbUrl", "tileUrl", "screenUrl", "originalUrl"] {
                let refused = try Wire(program.port).ask("GET", try #require(told[name]?.string))
                #expect(refused.status == 404 && Self.header("Location", of: refused) == nil)
            }
            let check = try program.run(
                ["check"] + program.rows + ["--storage", "s3://nobodys-bucket?endpoint=\(store.endpoint)"])
            #expect(check.code == 74 && check.errors.contains("NoSuchBucket"), "\(check.errors)")
        }
    }
}
