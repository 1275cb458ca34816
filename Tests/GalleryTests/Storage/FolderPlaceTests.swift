import Basics
import Digest
import Gallery
import HTTPServer
import TestSupport
import Testing

@Suite struct FolderPlaceTests {
    let bytes = Array("a photo, as far as a storage is concerned".utf8)

    @Test("bytes that were announced land under their key, and the storage reports that")
    func landing() async throws {
        let rig = try FolderRig()
        let place = try await rig.storage.place(rig.claim(bytes))
        let answer = try await rig.put(bytes, try rig.request(place), pieces: 7)
        #expect(answer.status == 200, "\(answer)")
        #expect(rig.landed.value == [FolderRig.key])
        #expect(
            rig.folder.contents() == ["objects/00/11/\(FolderRig.key)"], "nothing else is left behind")
        let found = try await rig.storage.withFile(FolderRig.key) { try rig.read($0) }
        #expect(found == bytes)
    }

    @Test("the signature is an HMAC over the claims in the order of the contract, as openssl makes it")
    func signature() async throws {
        let openssl = try #require(Tool("openssl"), "openssl is the judge")
        let rig = try FolderRig()
        let claim = rig.claim(bytes)
        let request = try rig.request(try await rig.storage.place(claim))
        let hash = "\(SHA256.of(bytes))"
        let seconds = claim.expiresAt.seconds
        let text = "PUT\n\(FolderRig.key)\nimage/jpeg\n\(bytes.count)\n\(hash)\n\(seconds)"
        let key = Hexadecimal.text(FolderRig.secret.keys(for: .places).current.bytes)
        let judged = try openssl.run(
            ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(key)"], input: Array(text.utf8))
        let theirs = judged.text.split(separator: " ").last.map { $0.filter(\.isHexDigit) }
        #expect(request.query["signature"] == theirs)
    }

    @Test("what was signed for another key, type, length, hash or time is refused")
    func tampering() async throws {
        let rig = try FolderRig()
        let request = try rig.request(try await rig.storage.place(rig.claim(bytes)))
        let signature = try #require(request.query["signature"])
        let other = String(signature.reversed())
        let tampered: [Request] = [
            request.at("10112233445566778899aabbccddeeff"), request.at("../../../etc/passwd"),
            request.at(FolderRig.key.uppercased()), request.asking("type", "text/html"),
            request.asking("length", "\(bytes.count + 1)"), request.asking("length", "-1"),
            request.asking("length", "99999999999999999999"), request.asking("length", nil),
            request.asking("sha256", "\(SHA256.of([1]))"), request.asking("sha256", ""),
            request.asking("sha256", nil),
            request.asking("expires", "99999999999"), request.asking("expires", "9223372036854775807"),
            request.asking("expires", nil), request.asking("signature", other),
            request.asking("signature", ""), request.asking("signature", nil),
            request.asking("signature", String(signature.dropLast(2))),
            request.asking("signature", "zz\(signature.dropFirst(2))"),
            // One claim's end in the next one's place.
            request.asking("type", "image/jpeg\n\(bytes.count)").asking("length", ""),
        ]
        for request in tampered {
            let answer = try await rig.put(bytes, request)
            #expect(answer.status == 403, "\(request.path) \(request.query): \(answer)")
            #expect(answer.text.contains("\"FORBIDDEN\""))
        }
        #expect(rig.folder.contents().isEmpty)
        #expect(rig.landed.value.isEmpty)
    }

    @Test("a URL is good until the second in which it expires")
    func expiry() async throws {
        let rig = try FolderRig()
        let request = try rig.request(try await rig.storage.place(rig.claim(bytes)))
        rig.calendar.advance(by: .seconds(300))
        #expect(try await rig.put(bytes, request).status == 403)
        rig.calendar.advance(by: .milliseconds(-1))
        #expect(try await rig.put(bytes, request).status == 200)
    }

    @Test("each header that was signed has to be sent as it was signed")
    func headers() async throws {
        let rig = try FolderRig()
        let request = try rig.request(try await rig.storage.place(rig.claim(bytes)))
        let cases: [(Request, Int)] = [
            (request.with("Content-Type", "image/png"), 403), (request.with("Content-Type", nil), 403),
            (request.with("If-None-Match", nil), 403), (request.with("If-None-Match", "\"a\""), 403),
            (request.with("Content-Length", nil), 411), (request.with("Content-Length", "1"), 400),
            (request.with("x-amz-checksum-sha256", nil), 400),
            (request.with("x-amz-checksum-sha256", Base64.text(SHA256.of([1]).bytes)), 400),
        ]
        for (request, status) in cases {
            let answer = try await rig.put(bytes, request)
            #expect(answer.status == status, "\(request.headers): \(answer)")
        }
        #expect(rig.folder.contents().isEmpty)
    }

    @Test("other bytes than were announced are refused, and nothing of them stays")
    func wrongBytes() async throws {
        let rig = try FolderRig()
        let request = try rig.request(try await rig.storage.place(rig.claim(bytes)))
        var others = bytes
        others[5] ^= 1
        for wrong in [others, Array(bytes.dropLast())] {
            #expect(try await rig.put(wrong, request).status == 400)
            #expect(rig.folder.contents().isEmpty)
        }
        #expect(try await rig.storage.look(FolderRig.key) == nil)
        #expect(try await rig.put(bytes, request).status == 200, "the right ones are welcome after them")
    }

    @Test(
        "what lies there is never replaced, by the same URL or by another that was under way at the same time"
    )
    func once() async throws {
        let rig = try FolderRig()
        let request = try rig.request(try await rig.storage.place(rig.claim(bytes)))
        let second = Array("something else".utf8)
        let late = try rig.request(try await rig.storage.place(rig.claim(second)))
        guard case .take(let sink, _) = await rig.storage.places.intake(late) else {
            Issue.record("it was refused before anything lay there")
            return
        }
        #expect(try await rig.put(bytes, request).status == 200)
        try second.withUnsafeBytes { try sink.write($0) }
        #expect(await sink.finish().status == 412)
        #expect(try await rig.put(bytes, request).status == 412)
        #expect(try await rig.storage.withFile(FolderRig.key) { try rig.read($0) } == bytes)
        #expect(rig.folder.contents() == ["objects/00/11/\(FolderRig.key)"])
        #expect(rig.landed.value == [FolderRig.key], "told once")
    }

    @Test("a body that is cut leaves nothing behind, and one that was under way when the server died neither")
    func cut() async throws {
        let rig = try FolderRig()
        let request = try rig.request(try await rig.storage.place(rig.claim(bytes)))
        guard case .take(let cut, _) = await rig.storage.places.intake(request),
            case .take(let forgotten, _) = await rig.storage.places.intake(request)
        else {
            Issue.record("it was refused")
            return
        }
        for sink in [cut, forgotten] { try bytes[..<9].withUnsafeBytes { try sink.write($0) } }
        cut.abandon()
        #expect(rig.folder.contents().count == 1)
        let next = try FolderRig(in: rig.folder)
        #expect(rig.folder.contents().isEmpty)
        #expect(try await next.put(bytes, request).status == 200)
    }
}

extension FolderRig {
    func read(_ path: String) throws -> [UInt8] { try readFile(path) }
}
