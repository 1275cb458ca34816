import Basics
import Bridge
import Digest
import Glibc
import TestSupport
import Testing
import Upload
import WorldSupport

/// The way of a photo to a gallery, and what each answer on it means.
@Suite struct GalleryDestinationTests {
    let rig: GalleryRig
    var gallery: ModelGallery { rig.gallery }

    init() throws {
        rig = try GalleryRig()
    }

    private func expectLegal(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(gallery.violations.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: When all goes well

    @Test("a photo gets a place, goes there, is worked on, and has its receipt")
    func wholeWay() async throws {
        gallery.change { $0.processingTime = .seconds(5) }
        let moved = Shared<UInt64>(0)
        let destination = try rig.destination(onMoved: { count in moved.change { $0 += count } })
        let job = try await rig.placed(1, destination)
        let intent = try #require(job.intent)
        #expect(intent.url.hasPrefix("https://gallery.test/objects/") && !intent.objectKey.isEmpty)
        #expect(!intent.headers.contains { $0.name.lowercased() == "content-length" })
        #expect(await destination.ask([job]) == .states([job.id: .pending]))
        #expect(await destination.deliver(job) == .sent(isCertain: true))
        #expect(moved.value == job.photo.size)
        #expect(await destination.ask([job]) == .states([job.id: .processing]))
        rig.clock.advance(by: .seconds(5))
        let photo = try await receipt(of: job, destination)
        #expect(photo == gallery.photos.first?.id)
        #expect(gallery.photos.map(\.sha256) == [job.photo.sha256] && gallery.charges == 1)
        #expect(gallery.violations.isEmpty && gallery.oddities.isEmpty)
    }

    private func receipt(of job: Job, _ destination: GalleryDestination) async throws -> String? {
        guard case .states(let states) = await destination.ask([job]),
            case .completed(let receipt) = states[job.id], case .photo(let id) = receipt.place
        else { return nil }
        #expect(receipt.size == job.photo.size && receipt.sha256 == job.photo.sha256)
        return id
    }

    @Test("the gallery is told the event, type, size, name and hash, under the job's key")
    func describes() async throws {
        let job = try rig.job(7, "DSC_0007.JPG")
        _ = try await rig.placed(job, rig.destination())
        let body = try #require(try rig.sent(.presign))
        #expect(
            body == [
                "eventId": .string(rig.event), "contentType": "image/jpeg", "contentLength": .integer(10_000),
                "filename": "DSC_0007.JPG", "sha256": .string(job.photo.sha256),
            ])
        let request = try #require(gallery.exchanges.last?.request)
        #expect(request.headers.contains(HTTPHeader("Idempotency-Key", job.key)))
        #expect(request.headers.contains(HTTPHeader("Authorization", "Bearer \(rig.member.access)")))
        // 2026-11-21 18:59:03 on a camera that says that it is an hour ahead of UTC, by date(1).
        var zoned = try rig.job(8)
        zoned.takenAt = Timestamp(milliseconds: 1_795_283_943_000)
        zoned.cameraClockAhead = 3570
        _ = try await rig.placed(zoned, rig.destination())
        #expect(try rig.sent(.presign)?["capturedAt"] == "2026-11-21T17:59:03.000Z")
        #expect(try rig.sent(.presign)?["cameraClockAhead"] == .integer(3570))
        expectLegal()
    }

    @Test(
        "the bytes go with exactly the headers that were asked for, without our token, and redirects are not followed"
    )
    func putsExactly() async throws {
        let destination = try rig.destination()
        let job = try await rig.placed(1, destination)
        #expect(await destination.deliver(job) == .sent(isCertain: true))
        let request = try #require(gallery.exchanges.last { $0.call == .put }?.request)
        #expect(request.headers.map(\.name) == ["Content-Type", "If-None-Match", "x-amz-checksum-sha256"])
        #expect(request.redirects == 0 && request.expects == .never)
        expectLegal()
    }

    @Test("a large body waits for the server's word where every byte costs, and there only")
    func expects() async throws {
        let metered = try rig.destination(way: UploadWay(interface: "wwan0", path: "p", isMetered: true))
        let free = try rig.destination(way: UploadWay(isMetered: false))
        let small = try await rig.placed(1, metered)
        let large = try await rig.placed(try rig.job(2, "b.JPG", jpeg(2, 1 << 20)), metered)
        for (job, destination, expects) in [
            (small, metered, HTTPExpectation.never), (large, metered, .asks(atMost: .milliseconds(200))),
            (large, free, .never),
        ] {
            _ = await destination.deliver(job)
            let request = try #require(gallery.exchanges.last { $0.call == .put }?.request)
            #expect(request.expects == expects)
            #expect(request.interface == (destination === metered ? "wwan0" : nil))
        }
    }

    @Test(
        "a photo's type follows its first bytes, and a raw file's its name",
        arguments: [
            ("a.JPG", "FFD8FFE0", "image/jpeg"), ("a", "FFD8FFE1", "image/jpeg"),
            ("a.HEIC", "FFD8FFE1", "image/jpeg"), ("a.png", "89504E470D0A1A0A", "image/png"),
            ("a.HIF", "0000001C667479706865697800", "image/heic"),
            ("a.HIF", "00000018667479706D69663100", "image/heif"),
            ("a.CR3", "0000001866747970637278200000", "image/x-canon-cr3"),
            ("a.CR2", "49492A00100000004352", "image/x-canon-cr2"), ("a.TIF", "4D4D002A", "image/tiff"),
            ("a.nef", "4D4D002A00000008", "image/x-nikon-nef"),
            ("a.ARW", "49492A0008000000", "image/x-sony-arw"),
            ("a.DNG", "49492A0008000000", "image/x-adobe-dng"),
            ("a.RAF", "46554A4946494C4D4343442D52415720", "image/x-fuji-raf"),
            ("a.RW2", "49495500", "image/x-panasonic-rw2"), ("a.JPG", "00000000", "image/jpeg"),
        ])
    func types(name: String, first: String, type: String) async throws {
        let job = try rig.job(1, name, try hex(first) + photoBytes(1, 100))
        _ = try await rig.placed(job, rig.destination())
        #expect(try rig.sent(.presign)?["contentType"]?.string == type)
        expectLegal()
    }

    @Test(
        "what no gallery takes is said to be so, and the gallery is not asked",
        arguments: [
            ("clip.MOV", "0000001466747970717420200000"), ("clip.MP4", "00000018667479706D70343200"),
            ("sound.WAV", "52494646"), ("a.PEF", "4D4D002A00000008"), ("a", "00000000"),
        ])
    func otherTypes(name: String, first: String) async throws {
        let job = try rig.job(1, name, try hex(first) + photoBytes(1, 100))
        guard case .permanent(let text) = try await rig.destination().presign(job) else {
            Issue.record("it was offered")
            return
        }
        #expect(text.hasPrefix("filtered: ") && text.contains(name))
        #expect(gallery.exchanges.isEmpty)
    }

    private func hex(_ text: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(text)) }

    // MARK: Lost answers

    @Test("a place whose answer was lost is the same place at the next try, and there is one photo")
    func lostPresign() async throws {
        let destination = try rig.destination()
        let job = try rig.job(1)
        gallery.fail(.presign, .lostReply)
        guard case .notThere = await destination.presign(job) else {
            Issue.record("it was not lost")
            return
        }
        let placed = try await rig.placed(job, destination)
        #expect(gallery.uploads.count == 1)
        #expect(await destination.deliver(placed) == .sent(isCertain: true))
        _ = await destination.ask([placed])
        #expect(gallery.photos.count == 1 && gallery.charges == 1)
        expectLegal()
    }

    @Test("a body whose answer was lost may be there: that is said, and a second one is taken for sent")
    func lostPut() async throws {
        let destination = try rig.destination()
        let job = try await rig.placed(1, destination)
        gallery.fail(.put, .lostReply)
        #expect(await destination.deliver(job) == .sent(isCertain: false))
        #expect(await destination.deliver(job) == .sent(isCertain: true))
        #expect(gallery.count(.put) == 2 && gallery.oddities == ["PUT: the bytes are there already"])
        let other = try await rig.placed(2, destination)
        gallery.fail(.put, .lostRequestAfterBody)
        #expect(await destination.deliver(other) == .sent(isCertain: false))
        #expect(await destination.ask([other]) == .states([other.id: .pending]))
        expectLegal()
    }

    @Test("a fresh place for the same upload never makes a second photo or a second charge")
    func represigns() async throws {
        let destination = try rig.destination()
        var job = try await rig.placed(1, destination)
        let first = try #require(job.intent)
        rig.clock.advance(by: .seconds(301))
        guard case .placeRefused = await destination.deliver(job) else {
            Issue.record("the place was still good")
            return
        }
        #expect(await destination.ask([job]) == .states([job.id: .expired]))
        job = try await rig.placed(job, destination)
        let second = try #require(job.intent)
        #expect(second.uploadID == first.uploadID && second.objectKey != first.objectKey)
        #expect(second.expiresAt > first.expiresAt)
        #expect(await destination.deliver(job) == .sent(isCertain: true))
        _ = await destination.ask([job])
        #expect(gallery.uploads.map(\.status) == [.completed] && gallery.charges == 1)
        // It has it: there is no place for it any more.
        #expect(await destination.presign(job) == .goesOn)
        gallery.forget(second.uploadID)
        #expect(await destination.presign(job) == .intentForgotten)
        #expect(await destination.ask([job]) == .states([job.id: .unknown]))
        expectLegal()
    }

    @Test("a gallery that knows no keys and no checksums takes photos all the same")
    func simpleServer() async throws {
        gallery.change {
            $0.ignoresIdempotencyKeys = true
            $0.ignoresChecksums = true
        }
        let destination = try rig.destination()
        let job = try rig.job(1)
        gallery.fail(.presign, .lostReply)
        _ = await destination.presign(job)
        let placed = try await rig.placed(job, destination)
        #expect(await destination.deliver(placed) == .sent(isCertain: true))
        #expect(try await receipt(of: placed, destination) != nil)
        // Two intents, one of them never used.
        #expect(gallery.uploads.count == 2 && gallery.photos.count == 1 && gallery.charges == 1)
        #expect(gallery.violations.isEmpty)
    }

    // MARK: Clocks

    @Test("a place's end is by our clock, however far the gallery's is from it", arguments: [-7200, 0, 7200])
    func skew(seconds: Int64) async throws {
        gallery.change { $0.skew = .seconds(seconds) }
        let account = try rig.account()
        let destination = try rig.destination(account)
        let job = try await rig.placed(1, destination)
        let life = try #require(job.intent).expiresAt - rig.calendar.wallNow
        #expect(life > .seconds(297) && life <= .seconds(300))
        #expect(await destination.deliver(job) == .sent(isCertain: true))
    }

    @Test(
        "an upload URL that seems over when it is given is taken to live as usual: the server's clock is unknown"
    )
    func unknownSkew() async throws {
        gallery.change {
            $0.skew = .seconds(-7200)
            $0.hasNoDate = true
        }
        let job = try await rig.placed(1, rig.destination())
        #expect(try #require(job.intent).expiresAt - rig.calendar.wallNow == .seconds(300))
    }

    @Test("a place that was refused says whether the clocks differ")
    func refusedForClock() async throws {
        let destination = try rig.destination()
        let job = try await rig.placed(1, destination)
        gallery.change { $0.skew = .seconds(600) }
        #expect(
            await destination.deliver(job)
                == .placeRefused("the storage answered 403: its clock is 600 s ahead of ours"))
        gallery.change { $0.skew = .zero }
        rig.clock.advance(by: .seconds(301))
        #expect(
            await destination.deliver(job)
                == .placeRefused("the storage answered 403: the place is not valid any more"))
    }
}
