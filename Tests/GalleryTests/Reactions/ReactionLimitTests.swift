import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// How many hearts and comments are taken of a device, and of an address.
@Suite struct ReactionLimitTests {
    @Test("a device gives so many hearts at once, and others give theirs meanwhile")
    func hearts() async throws {
        let ground = try await ReactionGround()
        let photo = ground.photos[0]
        let guest = ground.guest()
        for number in 0..<60 {
            let answer =
                number.isMultiple(of: 2) ? try await guest.give(photo) : try await guest.takeBack(photo)
            #expect(answer.status == 200, "\(answer)")
        }
        let refused = try await guest.give(photo)
        #expect(refused.status == 429 && refused.header("Retry-After") == "2")
        #expect(try await ground.guest().give(photo).status == 200)
        ground.gallery.wall.go(.seconds(2))
        #expect(try await guest.give(photo).status == 200)
        #expect(try await guest.give(photo).status == 429)
    }

    @Test("comments are limited harder, and so many a day")
    func comments() async throws {
        let ground = try await ReactionGround()
        let guest = ground.guest()
        for number in 0..<6 {
            #expect(try await guest.write("\(number)", of: ground.photos[0]).status == 201)
        }
        #expect(try await guest.write("6", of: ground.photos[0]).status == 429)
        #expect(try await guest.give(ground.photos[0]).status == 200)
        ground.gallery.wall.go(.seconds(30))
        #expect(try await guest.write("6", of: ground.photos[0]).status == 201)
        // What was refused is none of those of the day.
        for number in 7..<60 {
            ground.gallery.wall.go(.seconds(30))
            #expect(try await guest.write("\(number)", of: ground.photos[0]).status == 201)
        }
        ground.gallery.wall.go(.seconds(600))
        #expect(try await guest.write("60", of: ground.photos[0]).status == 429)
        ground.gallery.wall.go(.seconds(25 * 3600))
        #expect(try await guest.write("60", of: ground.photos[0]).status == 201)
    }

    private static func subject(
        _ device: Int, isNew: Bool = false, from peer: String = "192.0.2.1"
    ) -> ReactionLimits.Subject {
        ReactionLimits.Subject(device: "\(device)", isNew: isNew, address: PeerKey(peer))
    }

    @Test("an address has so many hearts, whichever devices give them")
    func address() {
        var limits = ReactionLimits()
        for device in 0..<3000 {
            #expect(limits.take(.heart, by: Self.subject(device), at: .zero) == nil)
        }
        #expect(limits.take(.heart, by: Self.subject(3000), at: .zero) == .seconds(1))
        #expect(limits.take(.heart, by: Self.subject(3000, from: "192.0.2.2"), at: .zero) == nil)
        #expect(limits.take(.heart, by: Self.subject(3000), at: .seconds(1)) == nil)
        // Comments are counted apart.
        for device in 0..<120 {
            #expect(limits.take(.comment, by: Self.subject(device), at: .seconds(1)) == nil)
        }
        #expect(limits.take(.comment, by: Self.subject(999), at: .seconds(1)) == .seconds(5))
    }

    @Test(
        "a client that throws its cookie away is so many devices a day, and its IPv6 network as many as two addresses"
    )
    func newDevices() {
        var limits = ReactionLimits()
        for device in 0..<2000 {
            let now = Duration.seconds(device)
            #expect(limits.take(.heart, by: Self.subject(device, isNew: true), at: now) == nil)
        }
        #expect(limits.take(.heart, by: Self.subject(2000, isNew: true), at: .seconds(2000)) != nil)
        #expect(limits.take(.heart, by: Self.subject(7), at: .seconds(2000)) == nil)
        #expect(limits.take(.heart, by: Self.subject(2000, isNew: true), at: .seconds(26 * 3600)) == nil)
        // 4,000 of one /48, each from a /56 of its own.
        var network = ReactionLimits()
        for device in 0..<4000 {
            let (high, low) = (String(device % 250, radix: 16), String(device, radix: 16))
            let peer = "2001:db8:0:\(high)00::\(low)"
            let subject = Self.subject(device, isNew: true, from: peer)
            #expect(network.take(.heart, by: subject, at: .seconds(device)) == nil)
        }
        let other = Self.subject(4000, isNew: true, from: "2001:db8:0:fe00::1")
        #expect(network.take(.heart, by: other, at: .seconds(4000)) != nil)
        let elsewhere = Self.subject(4000, isNew: true, from: "2001:db8:1::1")
        #expect(network.take(.heart, by: elsewhere, at: .seconds(4000)) == nil)
    }

    @Test("counts that are kept for all nodes are the same when they are read again")
    func kept() {
        let subject = Self.subject(1, from: "2001:db8::1")
        var rows = LimitRows()
        for number in 0..<60 {
            var limits = ReactionLimits()
            limits.read(rows, of: subject)
            #expect(limits.take(.heart, by: subject, at: .seconds(1000)) == nil, "\(number)")
            limits.write(to: &rows, of: subject)
        }
        var limits = ReactionLimits()
        limits.read(rows, of: subject)
        #expect(limits.take(.heart, by: subject, at: .seconds(1000)) == .seconds(2))
        #expect(rows.changed.isSubset(of: Set(limits.keys(of: subject))))
    }
}
