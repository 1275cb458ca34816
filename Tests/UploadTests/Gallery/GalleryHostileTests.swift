import Basics
import Bridge
import TestSupport
import Testing
import Upload
import WorldSupport

/// Answers that no gallery gives.
@Suite struct GalleryHostileTests {
    let rig: GalleryRig

    init() throws {
        rig = try GalleryRig()
    }

    /// The answer to asking for a place, with one member replaced or left out.
    private func place(_ key: String, _ value: JSONValue?) -> HTTPResponse {
        var members: [(key: String, value: JSONValue)] = [
            (key: "uploadId", value: "u-1"), (key: "putUrl", value: "https://store.test/o?s=secret"),
            (key: "objectKey", value: "o-1"), (key: "expiresAt", value: "2027-01-15T08:05:00.000Z"),
            (
                key: "requiredHeaders",
                value: ["Content-Type": "image/jpeg", "Content-Length": "10000", "If-None-Match": "*"]
            ),
        ]
        members.removeAll { $0.key == key }
        if let value { members.append((key: key, value: value)) }
        return .success(.object(members), status: 201)
    }

    private func presign(_ answer: HTTPResponse) async throws -> DeliveryOutcome {
        let transport = AnsweringTransport { _ throws(HTTPFailure) in answer }
        return await (try rig.destination(http: transport)).presign(try rig.job(1))
    }

    private func expectHeld(_ outcome: DeliveryOutcome, sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .notThere(let text) = outcome else {
            Issue.record("\(outcome)", sourceLocation: sourceLocation)
            return
        }
        #expect(text.contains("not as a gallery does"), "\(text)", sourceLocation: sourceLocation)
        #expect(!text.contains("secret"), "\(text)", sourceLocation: sourceLocation)
    }

    @Test("the example that the others are made of is a good one")
    func good() async throws {
        guard case .presigned(let intent) = try await presign(place("", nil)) else {
            Issue.record("it was refused")
            return
        }
        #expect(intent.uploadID == "u-1" && intent.objectKey == "o-1")
        #expect(intent.headers.map(\.name) == ["Content-Type", "If-None-Match"])
    }

    @Test("a network that has ended by itself while new tokens were asked for is not asked again and again")
    func endedNetwork() async throws {
        let transport = AnsweringTransport { request throws(HTTPFailure) in
            if request.url.hasSuffix("auth/refresh") { throw .cancelled }
            return .failure(401, "UNAUTHENTICATED", "log in")
        }
        let destination = try rig.destination(http: transport)
        #expect(await destination.presign(try rig.job(1)) == .cancelled)
        #expect(transport.requests.value.count == 2)
    }

    static let long = String(repeating: "x", count: 10_000)

    @Test(
        "a place with something missing, too long or of another kind is none",
        arguments: [
            ("uploadId", nil), ("uploadId", .integer(5)), ("uploadId", ""), ("uploadId", "a/b"),
            ("uploadId", ".."),
            ("uploadId", .string(long)), ("uploadId", .null), ("putUrl", nil), ("putUrl", ["x"]),
            ("putUrl", "ftp://store.test/o"), ("putUrl", "http://store.test/plain"), ("putUrl", "https://"),
            ("putUrl", "https://store.test/o\r\nX: secret"), ("putUrl", .string("https://s/" + long)),
            ("objectKey", nil), ("objectKey", .string(long)), ("expiresAt", nil), ("expiresAt", .integer(5)),
            ("expiresAt", "tomorrow"), ("requiredHeaders", nil), ("requiredHeaders", "x"),
            ("requiredHeaders", ["Content-Length": "-1"]),
            ("requiredHeaders", ["Content-Length": .integer(9_999)]),
            ("requiredHeaders", ["X": "a\r\nAuthorization: secret"]), ("requiredHeaders", ["X y": "a"]),
            ("requiredHeaders", ["": "a"]), ("requiredHeaders", ["Host": "evil.test"]),
            ("requiredHeaders", ["Transfer-Encoding": "chunked"]), ("requiredHeaders", ["X": .null]),
            ("requiredHeaders", .object((0..<33).map { (key: "X-\($0)", value: "a") })),
        ] as [(String, JSONValue?)])
    func badPlaces(key: String, value: JSONValue?) async throws {
        expectHeld(try await presign(place(key, value)))
    }

    @Test(
        "a success that is none of this API's is no success",
        arguments: [
            "", "null", "[]", "5", "{}", #"{"data": null}"#, #"{"data": []}"#, #"{"data": 5}"#,
            #"{"error": {"code": "X"}}"#, "<html>secret</html>", "{\"data\": {\"a\": 1", "\u{FEFF}",
            String(repeating: "[", count: 100_000), String(repeating: #"{"data":"#, count: 20_000),
            #"{"data": {"uploadId": "a", "uploadId": "b"}}"#,
            "{\"data\": [" + String(repeating: "0,", count: 200_000) + "0]}",
        ])
    func foreign(text: String) async throws {
        expectHeld(try await presign(HTTPResponse(status: 200, body: Array(text.utf8))))
    }

    @Test("bytes that are no UTF-8 are no success")
    func noText() async throws {
        expectHeld(try await presign(HTTPResponse(status: 201, body: [0x7B, 0xFF, 0xFE, 0x7D])))
        expectHeld(try await presign(HTTPResponse(status: 204)))
    }

    @Test("a fresh place for another upload is none for this one")
    func otherUpload() async throws {
        var job = try await rig.placed(1, rig.destination())
        job.intent?.url = ""
        let transport = AnsweringTransport { [answer = place("", nil)] _ throws(HTTPFailure) in answer }
        expectHeld(await (try rig.destination(http: transport)).presign(job))
    }

    @Test("a server's words come out visible and short")
    func words() async throws {
        let nasty = "no\u{1B}[2J\n\u{202E}" + Self.long
        guard case .permanent(let text) = try await presign(.failure(422, "UNPROCESSABLE", nasty)) else {
            Issue.record("not permanent")
            return
        }
        #expect(text.hasPrefix("https://gallery.test/ answered 422: no [2J x") && text.count < 400)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }

    @Test(
        "errors of a strange form are errors",
        arguments: [
            #"{"error": "x"}"#, #"{"error": {"code": 5, "message": []}}"#, #"{"error": null}"#, "[]",
            #"{"error": {"message": "m", "fields": {"a": 5, "b": {"c": []}}}}"#,
        ])
    func strangeErrors(text: String) async throws {
        let outcome = try await presign(HTTPResponse(status: 422, body: Array(text.utf8)))
        guard case .destinationFailed = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    // MARK: What has become of it

    private func ask(_ data: JSONValue) async throws -> ProcessingAnswer {
        let job = try await rig.placed(1, rig.destination())
        let id = try #require(job.intent).uploadID
        let transport = AnsweringTransport { _ throws(HTTPFailure) in
            // The test writes ID where the id of the upload belongs.
            let text = HTTPResponse.success(data).body
            let whole = String(decoding: text, as: UTF8.self).replacing("\"ID\"", with: "\"\(id)\"")
            return HTTPResponse(status: 200, body: Array(whole.utf8))
        }
        return await (try rig.destination(http: transport)).ask([job])
    }

    @Test(
        "a list that cannot be read is the gallery's trouble and no photo's",
        arguments: [
            ["a": .integer(1)], "x", [.integer(5)], [["status": "completed"]],
            [["uploadId": "ID", "status": .integer(5)]],
            [["uploadId": "ID", "status": "completed", "photoId": "../.."]],
            .array(Array(repeating: ["uploadId": "ID", "status": "pending"], count: 501)),
        ] as [JSONValue])
    func badLists(data: JSONValue) async throws {
        guard case .destinationFailed = try await ask(data) else {
            Issue.record("it was believed")
            return
        }
    }

    @Test("completed without a photo is not believed, and what was not asked about is passed over")
    func odd() async throws {
        let states: [(JSONValue, ProcessingState)] = [
            ([["uploadId": "ID", "status": "completed"]], .unknown),
            ([["uploadId": "ID", "status": "completed", "photoId": .null]], .unknown),
            ([["uploadId": "other", "status": "completed", "photoId": "p"]], .unknown),
            ([], .unknown), ([.integer(5), ["uploadId": "ID", "status": "processing"]], .processing),
            ([["uploadId": "ID", "status": "scanning"]], .processing),
            (
                [["uploadId": "ID", "status": "expired"], ["uploadId": "ID", "status": "pending"]],
                .expired
            ),
            (
                [["uploadId": "ID", "status": "failed"]],
                .failedPermanent("the gallery could not use it: failed")
            ),
            (
                [["uploadId": "ID", "status": "expired", "completedAt": .integer(5), "more": [.integer(1)]]],
                .expired
            ),
        ]
        for (data, expected) in states {
            #expect(try await ask(data) == .states([JobID(1): expected]))
        }
    }

    // MARK: Accounts

    @Test(
        "a log-in without proper tokens is none",
        arguments: [
            [:], ["user": ["id": "1", "email": "e"]],
            ["user": ["id": "1", "email": "e"], "accessToken": "a"],
            ["user": ["id": "1", "email": "e"], "accessToken": "a b", "refreshToken": "r"],
            ["user": ["id": "1", "email": "e"], "accessToken": "a\r\nX: y", "refreshToken": "r"],
            ["user": ["id": "1", "email": "e"], "accessToken": "", "refreshToken": "r"],
            ["user": .integer(5), "accessToken": "a", "refreshToken": "r"],
            ["accessToken": "a", "refreshToken": "r"],
        ] as [JSONValue])
    func badTokens(data: JSONValue) async throws {
        let transport = AnsweringTransport { _ throws(HTTPFailure) in .success(data) }
        let api = GalleryAPI(try rig.address(), http: transport, wall: rig.calendar)
        await #expect(throws: GalleryError.self) { try await api.login(email: "e", password: "p") }
    }

    @Test("a token that says it ends at no time, long ago or never is used as any other")
    func strangeTokens() async throws {
        for token in ["x", "a.b.c", "..", "a.e30.c", "a.eyJleHAiOi0xfQ.c", "a.eyJleHAiOiJ4In0.c", "a.!!!.c"] {
            let transport = AnsweringTransport { _ throws(HTTPFailure) in .success([]) }
            let address = try rig.address()
            let entry = GalleryCredentials.Entry(
                server: "\(address)", user: GalleryUser(id: "1", email: "e", displayName: nil),
                tokens: GalleryTokens(access: token, refresh: "r"))
            try rig.file.update { $0[address] = entry }
            let account = try rig.account(http: transport)
            let events = try await account.perform { token throws(GalleryError) in
                try await account.api.events(token)
            }
            #expect(events.isEmpty && transport.requests.value.count == 1, "\(token)")
        }
    }
}
