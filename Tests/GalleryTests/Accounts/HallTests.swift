import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// A small hall with one address, over real connections; `tools/prove-hall` has a large one.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct HallTests {
    private static let pin = "471100"

    /// A browser that keeps its cookies, with all others behind one address.
    private struct Device {
        let gallery: GalleryGround
        let slug: String
        var cookies: [String] = []

        mutating func ask(_ method: String, _ target: String, form: String = "") async throws
            -> GalleryGround.Answer
        {
            let type = HTTPHeader("Content-Type", "application/x-www-form-urlencoded")
            let answer = try await gallery.call(
                method, target, bytes: Array(form.utf8),
                headers: [HTTPHeader("Cookie", cookies.joined(separator: "; "))]
                    + (form.isEmpty ? [] : [type])
            )
            cookies += answer.headers.filter { $0.name.lowercased() == "set-cookie" }
                .compactMap { $0.value.split(separator: ";").first.map(String.init) }
            return answer
        }

        mutating func page() async throws -> GalleryGround.Answer { try await ask("GET", "/e/\(slug)") }
        /// What is behind the door.
        mutating func photos() async throws -> GalleryGround.Answer {
            try await ask("GET", "/e/\(slug)/photos")
        }
        mutating func type(_ pin: String) async throws -> GalleryGround.Answer {
            try await ask("POST", "/e/\(slug)/access", form: "pin=\(pin)")
        }
    }

    private func hall() async throws -> (gallery: GalleryGround, host: GalleryGround.Host) {
        let gallery = try GalleryGround(isServed: true)
        let host = try await gallery.host(event: ["name": "Hall", "pin": .string(Self.pin)])
        return (gallery, host)
    }

    @Test(
        "behind one address every device that keeps its cookie is in at the first try, while others type wrong PINs"
    )
    func everybody() async throws {
        let (gallery, host) = try await hall()
        let counts = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    var child = Device(gallery: gallery, slug: host.slug)
                    _ = try await child.page()
                    var answers: [Int] = []
                    for _ in 0..<30 { answers.append(try await child.type("000000").status) }
                    return answers
                }
            }
            for _ in 0..<54 {
                group.addTask {
                    var guest = Device(gallery: gallery, slug: host.slug)
                    let asked = try await guest.page()
                    let refused = try await guest.photos()
                    let typed = try await guest.type(Self.pin)
                    let seen = try await guest.photos()
                    #expect(
                        [asked.status, refused.status, typed.status, seen.status] == [200, 403, 303, 200])
                    return []
                }
            }
            return try await group.reduce(into: [Int]()) { $0 += $1 }
        }
        // Five of each child's own, and what the address has for all of them.
        #expect(counts.count { $0 == 401 } == 6 * 5 + 60 && counts.count { $0 == 429 } == 6 * 30 - 90)
    }

    @Test(
        "without a cookie sixty are looked at, then one in ten seconds, and the QR code lets a guest in meanwhile"
    )
    func flood() async throws {
        let (gallery, host) = try await hall()
        let event = try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
        let entry = try #require(event["entryUrl"]?.string?.dropFirst("http://gallery.example".count))
        var statuses: [Int] = []
        for _ in 0..<60 {
            var stranger = Device(gallery: gallery, slug: host.slug)
            statuses.append(try await stranger.type("000000").status)
        }
        #expect(statuses.allSatisfy { $0 == 401 })
        for _ in 0..<3 {
            var refused: [(String, [HTTPHeader])] = []
            for pin in [Self.pin, "000000", Self.pin, "000001"] {
                var stranger = Device(gallery: gallery, slug: host.slug)
                let answer = try await stranger.type(pin)
                #expect(answer.status == 429 && stranger.cookies.isEmpty)
                refused.append(
                    (
                        answer.text,
                        answer.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
                    ))
            }
            #expect(refused.allSatisfy { $0.0 == refused[0].0 && $0.1 == refused[0].1 })
            var guest = Device(gallery: gallery, slug: host.slug)
            #expect(try await guest.ask("GET", String(entry)).status == 303)
            #expect(try await guest.photos().status == 200)
            gallery.wall.go(.seconds(10))
            var next = Device(gallery: gallery, slug: host.slug)
            #expect(try await next.type("000000").status == 401)
        }
        // One who stops has a try again, and it is right.
        gallery.wall.go(.seconds(10))
        var patient = Device(gallery: gallery, slug: host.slug)
        #expect(try await patient.type(Self.pin).status == 303)
    }
}
