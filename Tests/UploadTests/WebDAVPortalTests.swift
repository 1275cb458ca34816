import Basics
import Bridge
import Glibc
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

/// A network whose log-in page answers instead of every server, until the operator has logged in.
private struct Portal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// As nginx says it.
    let answer: String

    static let all = [
        Portal(
            testDescription: "a page for everything", answer: #"return 200 "<html>Welcome! Log in.</html>";"#),
        Portal(testDescription: "an empty page", answer: "return 204;"),
        Portal(testDescription: "a page elsewhere", answer: "return 302 http://login.example/;"),
        Portal(
            testDescription: "a page elsewhere, for ever", answer: "return 301 http://login.example$uri/;"),
        Portal(testDescription: "what RFC 6585 asks for", answer: "return 511;"),
    ]
}

@Suite(
    .enabled(if: DAVServer.isThere, "nginx is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct WebDAVPortalTests {
    let spool: TestSpool

    init() throws {
        spool = try TestSpool()
    }

    private func place(_ portal: Portal, asks: Bool = true) throws -> WebDAVPlace {
        try WebDAVPlace(
            spool, user: asks ? "desk:p%20a%25s%2Fword@" : "", asks: asks,
            more: "if (-f FOLDER/portal) { \(portal.answer) }")
    }

    private func logIn(_ place: WebDAVPlace) {
        unlink(place.server.folder.file("portal"))
    }

    @Test(
        "a log-in page holds the destination, hears no password, and costs no photo anything",
        arguments: Portal.all)
    private func holds(portal: Portal) async throws {
        let place = try place(portal)
        try place.server.folder.write("", to: "portal")
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        for _ in 0..<3 {
            guard case .notThere(let problem) = await place.deliver(job) else {
                Issue.record("it is not the server")
                return
            }
            #expect(problem.contains("log in to this network"), "\(problem)")
        }
        let requests = try place.server.requests()
        #expect(requests.count == 3, "\(requests)")
        #expect(requests.allSatisfy { $0.hasSuffix(" -") }, "it gets no user name")
        logIn(place)
        #expect(await place.deliver(job).receipt?.key == "A.JPG", "by itself, when it is gone")
        #expect(place.names == ["A.JPG"] && place.unfinished.isEmpty)
    }

    @Test("one that comes back during the evening holds it again, after one request", arguments: Portal.all)
    private func comesBack(portal: Portal) async throws {
        let place = try place(portal)
        #expect(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt != nil)
        let before = try place.server.requests().count
        try place.server.folder.write("", to: "portal")
        let job = try spool.job(2, "A.JPG", photoBytes(2))
        for _ in 0..<3 {
            guard case .notThere = await place.deliver(job) else {
                Issue.record("it is not the server any more")
                return
            }
        }
        let requests = try place.server.requests().dropFirst(before)
        #expect(requests.count <= 5, "\(requests)")
        #expect(requests.filter { !$0.hasSuffix(" -") }.count == 1, "it could not be known before the first")
        logIn(place)
        #expect(await place.deliver(job).receipt?.key == "A-2.JPG")
        #expect(place.names == ["A-2.JPG", "A.JPG"])
    }

    /// Puts the log-in page between us and the server as soon as so many requests have been answered.
    private final class Closing: HTTPTransport {
        let http: any HTTPTransport
        let left: Shared<Int>
        let path = Shared("")

        init(http: any HTTPTransport, after number: Int) {
            self.http = http
            left = Shared(number)
        }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            let response = try await http.send(request)
            let isTime = left.change { left in
                left -= 1
                return left == 0
            }
            if isTime { close(open(path.value, O_CREAT | O_WRONLY, 0o600)) }
            return response
        }

        func forgetConnections() { http.forgetConnections() }
    }

    @Test(
        "one that comes in the middle of a delivery is not taken for the photo's arrival",
        arguments: Portal.all.prefix(3), 1...6)
    private func inTheMiddle(portal: Portal, after number: Int) async throws {
        let closing = Shared<Closing?>(nil)
        let place = try WebDAVPlace(
            spool, more: "if (-f FOLDER/portal) { \(portal.answer) }"
        ) { http in
            let transport = Closing(http: http, after: number)
            closing.change { $0 = transport }
            return transport
        }
        closing.value?.path.change { $0 = place.server.folder.file("portal") }
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        let outcome = await place.deliver(job)
        guard case .notThere = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(place.names.isEmpty, "six requests come before the one that names it")
        logIn(place)
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        #expect(place.names == ["A.JPG"] && place.unfinished.isEmpty)
    }

    @Test("a server behind a password that has every name is none, and is not searched for a free one")
    func everyName() async throws {
        let place = try WebDAVPlace(
            spool, user: "desk:p%20a%25s%2Fword@", asks: true, more: "try_files $uri /index.html;")
        try place.server.folder.write("<html>", to: "files/index.html")
        guard case .notThere = await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))) else {
            Issue.record("it has every name")
            return
        }
        #expect(try place.server.requests().count <= 4)
    }

    @Test("a server that leads everything to HTTPS says what to write")
    func plainDoor() async throws {
        let place = try WebDAVPlace(spool, more: "return 301 https://$host$request_uri;")
        guard
            case .held(.settings, let problem) = await place.deliver(try spool.job(1, "A.JPG", photoBytes(1)))
        else {
            Issue.record("it is elsewhere")
            return
        }
        #expect(problem.contains("webdavs://"))
    }

    @Test("a folder that has the photo's name is left alone, and the photo takes the next name")
    func folderOfThatName() async throws {
        let place = try WebDAVPlace(spool)
        place.server.folder.makeFolder("files/A.JPG")
        #expect(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt?.key == "A-2.JPG")
    }

    @Test("when all its names are taken a photo waits, and it is said what to do")
    func exhausted() async throws {
        let place = try WebDAVPlace(spool)
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        let hashes = [8, 32].map { "A-\(job.photo.sha256.prefix($0)).JPG" }
        for name in (1...14).map({ SafeName.numbered("A.JPG", $0) }) + hashes {
            try place.server.folder.write("other", to: "files/\(name)")
        }
        guard case .retryable(let problem, _) = await place.deliver(job) else {
            Issue.record("there is no name for it")
            return
        }
        #expect(problem.hasPrefix("A.JPG and 15 names like it are taken") && problem.contains("?name="))
        #expect(try place.server.requests().count < 40)
        #expect(place.names.count == 16 && place.unfinished.isEmpty)
    }
}
