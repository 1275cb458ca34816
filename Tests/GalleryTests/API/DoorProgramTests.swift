import Basics
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// The door as guests come to it: the real program, real requests, and nothing that scripts would have to do.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct DoorProgramTests {
    /// One guest with what he was given.
    private struct Guest {
        let program: GalleryProgram
        var cookie = ""

        func ask(_ target: String) throws -> Wire.Answer {
            try Wire(program.port).ask("GET", target, headers: cookie.isEmpty ? [] : [("Cookie", cookie)])
        }

        /// Whether what is behind the door is there.
        func page() throws -> Int { try ask("/e/\(program.slug)/photos").status }

        mutating func scan(_ entry: String) throws -> Wire.Answer {
            let answer = try ask(entry)
            if answer.status == 303 { cookie = try Self.pass(answer) }
            return answer
        }

        mutating func type(_ pin: String) throws -> Int {
            let form = "pin=\(pin)"
            let answer = try Wire(program.port).exchange(
                Wire.head(
                    "POST", "/e/\(program.slug)/access",
                    [
                        ("Content-Type", "application/x-www-form-urlencoded"),
                        ("Content-Length", "\(form.utf8.count)"),
                    ]) + form)
            if answer.status == 303 { cookie = try Self.pass(answer) }
            return answer.status
        }

        private static func pass(_ answer: Wire.Answer) throws -> String {
            let line = try #require(answer.line("Set-Cookie"))
            return String(try #require(line.split(separator: ";").first))
        }
    }

    private func entry(_ program: GalleryProgram) throws -> String {
        let url = try #require(try program.ask("GET", "/events/\(program.event)")["entryUrl"]?.string)
        let start = try #require(url.firstRange(of: "/e/"))
        return String(url[start.lowerBound...])
    }

    private func key(_ entry: String) throws -> String {
        String(entry[try #require(entry.firstRange(of: "?k=")).upperBound...])
    }

    @Test(
        "one request by the QR link gives the pass and leads on without the key, which nothing repeats",
        .enabled(if: Tool.isThere("cjpeg"), "cjpeg is not installed"))
    func link() async throws { try await aside { try scanned() } }

    private func scanned() throws {
        let program = try GalleryProgram(["--log-requests"])
        let entry = try entry(program)
        let key = try key(entry)
        #expect(key.count == 22)
        var guest = Guest(program: program)
        #expect(try guest.page() == 403)
        let scanned = try guest.scan(entry)
        #expect(scanned.status == 303 && scanned.text.isEmpty)
        // A browser that has brought no cookie yet is looked at once more.
        let led = try guest.ask(try #require(scanned.line("Location")))
        #expect(led.status == 303 && led.line("Location") == "/e/\(program.slug)" && led.text.isEmpty)
        #expect(
            scanned.line("Referrer-Policy") == "no-referrer" && scanned.line("Cache-Control") == "no-store")
        #expect(scanned.line("Set-Cookie")?.contains("; HttpOnly") == true)
        let page = try guest.ask("/e/\(program.slug)")
        #expect(page.status == 200 && page.line("Referrer-Policy") == "no-referrer")
        // A key that is none is refused by a page that sends nothing on, either.
        let wrong = try Guest(program: program).ask("/e/\(program.slug)?k=AAAAAAAAAAAAAAAAAAAAAA")
        #expect(wrong.status == 401 && wrong.line("Referrer-Policy") == "no-referrer")
        let live = try Wire(program.port)
        live.send(
            Array(Wire.head("GET", "/e/\(program.slug)/live", [("Cookie", guest.cookie)]).utf8))
        let hosts = try Wire(program.port)
        hosts.send(
            Array(
                Wire.head(
                    "GET", "/events/\(program.event)/live", [("Authorization", "Bearer \(program.token)")]
                ).utf8))
        #expect(live.hears(within: 10_000) && hosts.hears(within: 10_000))
        _ = try program.bring(try Self.picture())
        // The hosts' new code ends what guests hear; the event's end what hosts do.
        let renewed = try program.ask("POST", "/events/\(program.event)/key")
        #expect(renewed.status == 200)
        let heard = try live.answer().all
        #expect(try program.ask("DELETE", "/events/\(program.event)").status == 204)
        let hostsHeard = try hosts.answer().all
        #expect(heard.contains("event: ") && hostsHeard.contains("event: "))
        let metrics = try Wire(program.port).ask("GET", "/metrics")
        #expect(metrics.status == 200)
        let log = program.log.joined(separator: "\n")
        #expect(log.contains("/e/\(program.slug)"), "\(log)")
        let newKey = try self.key(try #require(renewed["entryUrl"]?.string))
        #expect(newKey != key)
        for secret in [key, newKey] {
            for place in [scanned.all, led.all, page.all, wrong.all, heard, hostsHeard, metrics.all, log] {
                #expect(!place.contains(secret))
            }
        }
    }

    private static func picture() throws -> [UInt8] {
        let pixels = [UInt8](repeating: 90, count: 64 * 48 * 3)
        return try #require(Tool("cjpeg")).run([], input: Array("P6 64 48 255\n".utf8) + pixels).output
    }

    @Test(
        "a renewed QR code ends what the old one opened, another PIN ends every pass",
        arguments: [false, true])
    func renewed(byHand: Bool) async throws { try await aside { try renew(byHand) } }

    private func renew(_ byHand: Bool) throws {
        let program = try GalleryProgram()
        let old = try entry(program)
        let oldKey = try key(old)
        var (scanned, typed) = (Guest(program: program), Guest(program: program))
        #expect(try scanned.scan(old).status == 303 && scanned.page() == 200)
        #expect(try typed.type(GalleryProgram.pin) == 303 && typed.page() == 200)
        if byHand {
            let told = try program.run(["qr", program.slug, "--renew"] + program.rows)
            #expect(
                told.code == 0 && told.text.contains("?k=") && !told.text.contains(oldKey),
                "\(told.errors)")
        } else {
            #expect(try program.ask("POST", "/events/\(program.event)/key").status == 200)
        }
        #expect(try scanned.page() == 403 && typed.page() == 200)
        var late = Guest(program: program)
        let refused = try late.scan(old)
        #expect(refused.status == 401 && refused.text.contains("has been replaced"))
        let new = try entry(program)
        #expect(try scanned.scan(new).status == 303 && scanned.page() == 200)
        #expect(try program.ask("PATCH", "/events/\(program.event)", #"{"pin":"86420"}"#).status == 200)
        #expect(try scanned.page() == 403 && typed.page() == 403)
        #expect(
            try typed.type(GalleryProgram.pin) == 401 && typed.type("86420") == 303 && typed.page() == 200)
        // The code on the table is as good as before.
        #expect(try scanned.scan(new).status == 303 && scanned.page() == 200)
    }

    @Test(
        "what opens a door is not to be read where rows are: codes, links and passwords are kept as hashes")
    func kept() async throws { try await aside { try hashed() } }

    private func hashed() throws {
        let program = try GalleryProgram(["--registration", "invite"])
        let pin = "908172635445"
        #expect(try program.ask("PATCH", "/events/\(program.event)", #"{"pin":"\#(pin)"}"#).status == 200)
        let invited = try program.run(["invite", "--uses", "2"] + program.rows)
        let code = try #require(invited.lines.first)
        let link = try program.run(["user", "password", "host@example.org"] + program.rows).text
        let secret = String(
            link[try #require(link.firstRange(of: "#password=")).upperBound...].prefix { !$0.isWhitespace })
        #expect(code.count == 34 && secret.count == 43)
        let kept = try program.kept()
        let place = PostgresServer.isWanted ? "pg_dump" : ".sqlite"
        #expect(kept.contains { $0.name.hasSuffix(place) })
        // What is no secret is to be read there: these are the rows.
        #expect(kept.contains { $0.bytes.firstRange(of: Array("host@example.org".utf8)) != nil })
        for (name, bytes) in kept {
            for text in [pin, code, code.filter { $0 != "-" }, secret, "correct horse"] {
                // pg_dump writes bytes as hexadecimal digits.
                let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                for form in [text, digits] {
                    #expect(bytes.firstRange(of: Array(form.utf8)) == nil, "\(name)")
                }
            }
        }
        let body =
            #"{"email":"new@example.org","password":"correct horse","displayName":"X","invite":"\#(code)"}"#
        #expect(try Wire(program.port).ask("POST", "/auth/register", body: body).status == 201)
    }
}
