import Basics
import Bridge
import Digest
import Glibc
import TestSupport
import Testing
import Upload
import WorldSupport

/// The contract's table "What the bridge does with an answer", row by row.
@Suite struct GalleryAnswerTests {
    let rig: GalleryRig
    var gallery: ModelGallery { rig.gallery }

    init() throws {
        rig = try GalleryRig()
    }

    enum Kind: Equatable, Sendable {
        case failed(after: Duration?)
        case held(HoldCause)
        case retryable, permanent, placeRefused, forgotten, goesOn, expired, sent, uncertain
        case presigned, cancelled, delivered
    }

    private func kind(_ outcome: DeliveryOutcome) -> Kind {
        switch outcome {
        case .delivered: .delivered
        case .retryable: .retryable
        case .permanent: .permanent
        case .destinationFailed(_, let after): .failed(after: after)
        case .notThere, .cut: .failed(after: nil)
        case .held(let cause, _): .held(cause)
        case .cancelled: .cancelled
        case .presigned: .presigned
        case .sent(let isCertain): isCertain ? .sent : .uncertain
        case .placeRefused: .placeRefused
        case .intentForgotten: .forgotten
        case .goesOn: .goesOn
        case .eventExpired: .expired
        }
    }

    private func kind(_ answer: ProcessingAnswer) -> Kind {
        switch answer {
        case .states: .delivered
        case .destinationFailed(_, let after): .failed(after: after)
        case .held(let cause, _): .held(cause)
        case .cancelled: .cancelled
        }
    }

    /// Asks for a place, for a fresh one, puts the bytes, and asks for the state, each while this goes wrong.
    private func kinds(during fault: ModelFault) async throws -> [Kind] {
        let destination = try rig.destination()
        let job = try rig.job(1)
        let placed = try await rig.placed(job, destination)
        gallery.fail(nil, fault, times: .max)
        defer { gallery.heal() }
        return [
            kind(await destination.presign(job)), kind(await destination.presign(placed)),
            kind(await destination.deliver(placed)), kind(await destination.ask([placed])),
        ]
    }

    // MARK: Anywhere

    @Test(
        "408, 425, 429, 5xx and redirects hold the destination, for as long as it asks",
        arguments: [408, 425, 429, 500, 502, 503, 504, 599, 301, 307, 511])
    func holds(status: Int) async throws {
        #expect(
            try await kinds(during: .status(status)) == Array(repeating: .failed(after: nil), count: 4))
        #expect(
            try await kinds(during: .status(status, retryAfter: "90"))
                == Array(repeating: .failed(after: .seconds(90)), count: 4))
        let date = (rig.calendar.wallNow + .seconds(40)).httpDate
        #expect(
            try await kinds(during: .status(status, retryAfter: date))
                == Array(repeating: .failed(after: .seconds(40)), count: 4))
    }

    @Test("without a connection the destination waits, and costs no photo an attempt")
    func noConnection() async throws {
        for fault in [ModelFault.lostRequest, .cutInBody, .unreadable] {
            #expect(try await kinds(during: fault) == Array(repeating: .failed(after: nil), count: 4))
        }
    }

    @Test("a hotel's page is no success, nor is JSON of another program")
    func portal() async throws {
        #expect(try await kinds(during: .portal) == Array(repeating: .failed(after: nil), count: 4))
        let other = HTTPResponse(status: 200, body: Array(#"{"ok": true}"#.utf8))
        // A storage may answer a photo with anything but a page.
        let expected: [Kind] = [.failed(after: nil), .failed(after: nil), .sent, .failed(after: nil)]
        #expect(try await kinds(during: .instead(other)) == expected)
        let empty = HTTPResponse(status: 200)
        #expect(try await kinds(during: .instead(empty)) == expected)
    }

    @Test("a refused certificate holds the destination for the operator")
    func certificate() async throws {
        #expect(try await kinds(during: .certificate) == Array(repeating: .held(.certificate), count: 4))
    }

    @Test("a log-in that the gallery refuses waits for the operator to log in, and says how")
    func loggedOut() async throws {
        let destination = try rig.destination()
        let job = try rig.job(1)
        let placed = try await rig.placed(job, destination)
        gallery.revoke(rig.member)
        let sentence = "log in again: tetherline login https://gallery.test/"
        #expect(await destination.presign(job) == .held(.loggedOut, sentence))
        #expect(await destination.presign(placed) == .held(.loggedOut, sentence))
        #expect(await destination.ask([placed]) == .held(.loggedOut, sentence))
        // The bytes need no log-in: the place is the permission.
        #expect(await destination.deliver(placed) == .sent(isCertain: true))
        // Logged in again in another window, it goes on by itself.
        try rig.logIn(gallery.account())
        #expect(kind(await destination.presign(try rig.job(2))) == .presigned)
        #expect(gallery.count(.refresh) == 1)
    }

    @Test(
        "an answer without the gallery's envelope gives up no photo",
        arguments: [400, 402, 403, 404, 410, 422])
    func notItsOwn(status: Int) async throws {
        let kinds = try await kinds(during: .status(status))
        #expect([kinds[0], kinds[1], kinds[3]] == Array(repeating: .failed(after: nil), count: 3))
    }

    // MARK: A place

    @Test(
        "what the gallery refuses when it is asked for a place",
        arguments: [
            (402, "PAYMENT_REQUIRED", Kind.held(.credits), Kind.held(.credits)),
            (403, "CONSENT_REQUIRED", .held(.consent), .held(.consent)),
            (403, "FORBIDDEN", .failed(after: nil), .failed(after: nil)),
            (404, "NOT_FOUND", .permanent, .forgotten), (409, "CONFLICT", .permanent, .goesOn),
            (410, "GONE", .expired, .expired), (413, "PAYLOAD_TOO_LARGE", .permanent, .permanent),
            (422, "UNPROCESSABLE", .permanent, .permanent), (400, "BAD_REQUEST", .retryable, .retryable),
            (412, "PRECONDITION_FAILED", .retryable, .retryable),
        ])
    func places(status: Int, code: String, new: Kind, fresh: Kind) async throws {
        let kinds = try await kinds(during: .refusal(status, code, "because"))
        #expect(kinds[0] == new && kinds[1] == fresh)
    }

    @Test("the gallery's own words reach the operator, also which field is wrong")
    func words() async throws {
        let destination = try rig.destination(event: "5eed0000-0000-4000-8000-999999999999")
        #expect(
            await destination.presign(try rig.job(1))
                == .permanent("https://gallery.test/ answered 404: no such event"))
        let fields: JSONValue = [
            "error": [
                "code": "UNPROCESSABLE", "message": "not valid", "fields": ["filename": ["is too long"]],
            ]
        ]
        gallery.fail(.presign, .instead(HTTPResponse(status: 422, body: Array(fields.compact.utf8))))
        #expect(
            await destination.presign(try rig.job(2))
                == .permanent("https://gallery.test/ answered 422: not valid; filename: is too long"))
    }

    @Test("credits, consent and the event's end are found out as they come and go")
    func gates() async throws {
        let destination = try rig.destination()
        let job = try rig.job(1)
        gallery.change { $0.credits = 0 }
        #expect(kind(await destination.presign(job)) == .held(.credits))
        gallery.change { $0.credits = 1 }
        gallery.setConsent(false, of: rig.member)
        #expect(kind(await destination.presign(job)) == .held(.consent))
        gallery.setConsent(true, of: rig.member)
        let placed = try await rig.placed(job, destination)
        #expect(await destination.deliver(placed) == .sent(isCertain: true))
        gallery.expire(rig.event)
        #expect(kind(await destination.presign(try rig.job(2))) == .expired)
        #expect(gallery.violations.isEmpty)
    }

    // MARK: The bytes

    @Test(
        "what the storage refuses",
        arguments: [
            (403, Kind.placeRefused), (401, .placeRefused), (412, .sent), (413, .permanent),
            (409, .retryable), (411, .retryable), (404, .failed(after: nil)), (400, .retryable),
            (201, .sent), (204, .sent), (507, .failed(after: nil)),
        ])
    func bytes(status: Int, expected: Kind) async throws {
        let destination = try rig.destination()
        let job = try await rig.placed(1, destination)
        gallery.fail(.put, .instead(HTTPResponse(status: status)))
        #expect(kind(await destination.deliver(job)) == expected)
    }

    @Test("bytes that the storage finds damaged are looked at here: whose fault it is decides")
    func damaged() async throws {
        let destination = try rig.destination()
        let job = try await rig.placed(1, destination)
        gallery.fail(.put, .instead(HTTPResponse(status: 400)))
        #expect(
            await destination.deliver(job)
                == .retryable("the storage answered 400: it found the photo to be damaged"))
        var changed = jpeg(1, 10_000)
        changed[5000] ^= 1
        try rig.spool.overwrite(job, with: changed)
        // The model compares the checksum itself.
        guard case .permanent(let text) = await destination.deliver(job) else {
            Issue.record("it was sent")
            return
        }
        #expect(text.hasPrefix("localFileDamaged: ") && text.contains("another SHA-256"))
        #expect(gallery.photos.isEmpty && gallery.violations.isEmpty)
    }

    @Test("a photo that is gone or has another size is not sent, and that is said")
    func missing() async throws {
        let destination = try rig.destination()
        let job = try rig.job(1)
        let placed = try await rig.placed(job, destination)
        try rig.spool.overwrite(job, with: jpeg(1, 9_999))
        for outcome in [await destination.presign(job), await destination.deliver(placed)] {
            guard case .permanent(let text) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(text.hasPrefix("localFileDamaged: ") && text.contains("9999 bytes and had 10000"))
        }
        rig.spool.remove(job)
        for outcome in [await destination.presign(job), await destination.deliver(placed)] {
            guard case .permanent(let text) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(text.hasPrefix("localFileMissing: "))
        }
        #expect(gallery.count(.put) == 0 && gallery.count(.presign) == 1)
    }

    @Test("a disk that fails under the body is told apart from the network")
    func diskFails() async throws {
        let job = try await rig.placed(1, rig.destination())
        for (meaning, expected) in [
            (DiskError.Meaning.missing, Kind.permanent), (.failing, .retryable),
            (.tooManyOpen, .failed(after: nil)), (.notWritable, .failed(after: nil)), (.other, .retryable),
        ] {
            let transport = AnsweringTransport { _ throws(HTTPFailure) in
                throw .body(DiskError(meaning, "/spool/1: reading failed"))
            }
            #expect(kind(await (try rig.destination(http: transport)).deliver(job)) == expected)
        }
    }

    @Test("a task that is cancelled ends at once, and nothing is counted as a failure")
    func cancelled() async throws {
        let destination = try rig.destination()
        let job = try rig.job(1)
        let placed = try await rig.placed(job, destination)
        gallery.fail(nil, .hang, times: 4)
        let steps: [@Sendable () async -> Kind] = [
            { kind(await destination.presign(job)) }, { kind(await destination.presign(placed)) },
            { kind(await destination.deliver(placed)) }, { kind(await destination.ask([placed])) },
        ]
        for step in steps {
            let task = Task { await step() }
            await rig.clock.waitForSleepers(1)
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    @Test("a place that no request can be made of is asked for anew")
    func unusablePlace() async throws {
        let job = try await rig.placed(1, rig.destination())
        let transport = AnsweringTransport { _ throws(HTTPFailure) in throw .invalid("no such scheme") }
        #expect(kind(await (try rig.destination(http: transport)).deliver(job)) == .placeRefused)
        var without = job
        without.intent?.url = ""
        #expect(kind(await (try rig.destination()).deliver(without)) == .placeRefused)
    }
}
