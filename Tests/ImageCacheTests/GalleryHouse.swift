import Basics
import Glibc
import HTTPClient
import Posix
import TestSupport
import Testing

/// The program with a host who is logged in and one event with one photo.
final class GalleryHouse: Sendable {
    let folder: TemporaryFolder
    let client: CurlClient
    private let daemon: Daemon
    let url: String
    let user: String
    let token: String
    let event: String

    init() async throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        client = try CurlClient()
        try folder.write("correct horse\n", to: "password")
        let data = folder.file("data")
        let added = try #require(Tool(Built.gallery)).run(
            [
                "user", "add", "host@example.org", "--data", data, "--password-file",
                folder.file("password"),
            ])
        try #require(added.code == 0, "\(added.errors)")
        daemon = try Daemon(
            Built.gallery,
            [
                "serve", "--listen", "127.0.0.1:0", "--data", data, "--port-file", folder.file("port"),
                "--workers", "1",
            ])
        try daemon.wait(for: "everything in")
        while access(folder.file("port"), R_OK) != 0 { sched_yield() }
        let port = String(decoding: try readFile(folder.file("port")), as: UTF8.self).filter(\.isNumber)
        url = "http://127.0.0.1:\(port)"
        let login = try await Self.ask(
            client, "POST", "\(url)/auth/login", nil,
            #"{"email":"host@example.org","password":"correct horse"}"#)
        user = try #require(login["user"]?["id"]?.string)
        token = try #require(login["accessToken"]?.string)
        _ = try await Self.ask(client, "POST", "\(url)/consent", token, #"{"version":1}"#)
        let made = try await Self.ask(client, "POST", "\(url)/events", token, #"{"name":"Wedding"}"#)
        event = try #require(made["id"]?.string)
    }

    static func ask(
        _ client: CurlClient, _ method: String, _ url: String, _ token: String?, _ body: String? = nil
    ) async throws -> JSONValue {
        let answer = try await client.send(
            HTTPRequest(
                method, url,
                headers: [HTTPHeader("Content-Type", "application/json")]
                    + (token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? []),
                body: body.map { .bytes(Array($0.utf8)) } ?? .none))
        try #require(
            (200..<300).contains(answer.status), "\(String(decoding: answer.body, as: UTF8.self))")
        return answer.body.isEmpty ? .null : try JSON5.parse(answer.body)["data"] ?? .null
    }

    func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> JSONValue {
        try await Self.ask(client, method, url + path, token, body)
    }

    /// Brings a picture there and returns the photo. Each number is another picture.
    func photo(_ number: Int = 0, size: String = "800x600") async throws -> JSONValue {
        let convert = try #require(Tool("convert"))
        let (first, file) = ((number * 37) % 256, folder.file("\(number).jpg"))
        let drawn = try convert.run(["-size", size, "gradient:rgb(\(first),0,\(number))-blue", file])
        try #require(drawn.code == 0, "\(drawn.errors)")
        let bytes = try readFile(file)
        let place = try await ask(
            "POST", "/uploads/presign",
            #"{"eventId":"\#(event)","contentType":"image/jpeg","contentLength":\#(bytes.count)}"#)
        let headers = (place["requiredHeaders"]?.members ?? []).map {
            HTTPHeader($0.key, $0.value.string ?? "")
        }
        // The server names itself by its public address, which is another than this port.
        let putURL = try #require(place["putUrl"]?.string)
        let target = putURL[try #require(putURL.firstRange(of: "/objects/")).lowerBound...]
        let put = try await client.send(
            HTTPRequest(
                "PUT", url + target,
                headers: headers.filter { $0.name.lowercased() != "content-length" }, body: .bytes(bytes))
        )
        try #require(put.status == 200)
        let upload = try #require(place["uploadId"]?.string)
        while true {
            let state = try await ask("GET", "/uploads/status?ids=\(upload)").array?.first
            if state?["status"]?.string == "completed" {
                return try await ask("GET", "/photos/\(try #require(state?["photoId"]?.string))")
            }
            try #require(["pending", "processing"].contains(state?["status"]?.string))
            await Task.yield()
        }
    }
}
