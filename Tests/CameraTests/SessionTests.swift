import Basics
import Camera
import Digest
import PTP
import Simulator
import TestSupport
import Testing

@Suite struct SessionTests {
    @Test("a session tells who the camera is and what it holds")
    func information() async throws {
        let rig = try Rig { settings, card in
            settings.name = "Anna's camera"
            card.slots = 2
            card.serial = "77"
        }
        try await rig.connected { session in
            let device = try await session.device()
            #expect(device.model == "Generic" && device.serialNumber == "77")
            #expect(await session.peer?.name == "Anna's camera")
            let storages = try await session.storages()
            #expect(storages.map(\.id.slot) == [1, 2])
            #expect(storages[0].info?.volumeLabel == "CAMSIM1")
        }
    }

    @Test("a listing walks all cards and knows each file's folders")
    func listing() async throws {
        let rig = try Rig(photos: 4) { _, card in
            card.slots = 2
            card.hasRawToo = true
        }
        let listing = try await rig.connected { try await $0.list() }
        let files = listing.objects.filter { !$0.info.isFolder }
        #expect(listing.unreadable.isEmpty)
        #expect(
            files.map { "\($0.info.storage.slot) \($0.folders.joined(separator: "/"))/\($0.info.fileName)" }
                == [
                    "1 DCIM/100TETHR/TETH0001.JPG", "1 DCIM/100TETHR/TETH0001.DNG",
                    "1 DCIM/100TETHR/TETH0003.JPG", "1 DCIM/100TETHR/TETH0003.DNG",
                    "2 DCIM/100TETHR/TETH0002.JPG", "2 DCIM/100TETHR/TETH0002.DNG",
                    "2 DCIM/100TETHR/TETH0004.JPG", "2 DCIM/100TETHR/TETH0004.DNG",
                ])
        #expect(files.first?.size == 200_000)
    }

    @Test("a listing has a limit, and says so")
    func listingLimit() async throws {
        let rig = try Rig(photos: 20, size: 2000)
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected { try await $0.list(limit: 10) }
        }
        // The dataset is refused while it comes: twenty-two handles do not fit into the space for ten.
        guard case .tooMuchData(.getObjectHandles, limit: 44) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "a photo arrives byte for byte and with its hash, however the camera cuts it",
        arguments: ["one-end", "data-then-empty-end", "data-then-end", "1", "1000", "70000"])
    func fetching(mode: String) async throws {
        let size: UInt64 = mode == "1" ? 3000 : 700_001
        let rig = try Rig("packets mode=\(mode)", size: size)
        let expected = try Rig.photo(2, size: size)
        let (sink, hasher) = (ArraySink(), SHA256())
        let moved = Shared<UInt64>(0)
        let fetched = try await rig.connected { [workers = rig.workers] session in
            try await session.fetch(
                ObjectHandle(rawValue: 0x0001_0004), .whole, into: sink, hasher: hasher, workers: workers,
                onMoved: { count in moved.change { $0 += count } })
        }
        #expect(sink.bytes == expected)
        #expect(hasher.finish() == SHA256.of(expected))
        #expect(fetched.received == size && fetched.announced == size && moved.value == size)
    }

    @Test(
        "a photo in parts, from the start or from the middle, is the same",
        arguments: [0, 1, 65_536, 199_999, 200_000])
    func parts(start: Int) async throws {
        let rig = try Rig()
        let expected = try Rig.photo(1)
        let sink = ArraySink(Array(expected.prefix(start)))
        _ = try await rig.connected { [workers = rig.workers] session in
            try await session.fetch(
                .firstPhoto, .parts(of: 7000, from: UInt64(start), size: 200_000), into: sink,
                workers: workers)
        }
        #expect(sink.bytes == expected)
    }

    @Test("many photos one after another use the same few buffers")
    func manyFetches() async throws {
        let rig = try Rig(photos: 30, size: 1_500_000)
        try await rig.connected { [workers = rig.workers] session in
            for number in 0..<30 {
                let sink = ArraySink()
                let handle = ObjectHandle(rawValue: ObjectHandle.firstPhoto.rawValue + UInt32(number))
                _ = try await session.fetch(handle, .whole, into: sink, hasher: SHA256(), workers: workers)
                #expect(sink.bytes.count == 1_500_000)
            }
        }
    }

    @Test("calls from many tasks queue up, and each gets its own answer")
    func concurrentCalls() async throws {
        let rig = try Rig(photos: 40, size: 2000)
        try await rig.connected { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let handle = ObjectHandle(rawValue: ObjectHandle.firstPhoto.rawValue + UInt32(number))
                        let info = try await session.info(of: handle)
                        #expect(info.sequenceNumber == UInt32(number + 1))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a thumbnail is the camera's, and where there is none the error says so")
    func thumbnails() async throws {
        let rig = try Rig(photos: 1, size: 200_000)
        let picture = try await rig.connected { try await $0.thumbnail(of: .firstPhoto) }
        #expect(picture.starts(with: [0xFF, 0xD8]) && picture.suffix(2) == [0xFF, 0xD9])
        let small = try Rig(photos: 1, size: 2000)
        let error = await #expect(throws: CameraError.self) {
            try await small.connected { try await $0.thumbnail(of: .firstPhoto) }
        }
        #expect(error?.response == .noThumbnailPresent)
    }

    @Test("a deleted photo is gone; a protected one stays")
    func deleting() async throws {
        let rig = try Rig(photos: 2)
        try await rig.connected { session in
            try await session.delete(.firstPhoto)
            let left = try await session.list()
            #expect(left.objects.count == 3)
            let second = ObjectHandle(rawValue: ObjectHandle.firstPhoto.rawValue + 1)
            _ = try await session.exchange(Call(.setObjectProtection, [second.rawValue, 1]))
            let error = await #expect(throws: CameraError.self) { try await session.delete(second) }
            #expect(error?.response == .objectWriteProtected)
        }
    }

    @Test("notices come in order while photos are being fetched")
    func notices() async throws {
        let rig = try Rig(photos: 1, size: 5_000_000)
        try await rig.connected { [camera = rig.camera, workers = rig.workers] session in
            async let fetched = session.fetch(.firstPhoto, .whole, into: ArraySink(), workers: workers)
            for _ in 0..<5 { await camera.shoot() }
            _ = try await fetched
            let iterator = session.notices.makeAsyncIterator()
            var added: [UInt32] = []
            while added.count < 5, let notice = await iterator.next() {
                if notice.code == .objectAdded { added += notice.parameters }
            }
            #expect(added == (0..<5).map { 0x0001_0004 + $0 })
        }
    }

    /// 0xA102 is a Canon's way to say it.
    @Test("a body that says in its own way that it is not ready is asked again, and that is told once")
    func notReady() async throws {
        let rig = try Rig("refuse code=0xA102 times=3 operation=0x1008")
        let told = Shared<[Bool]>([])
        let info = try await rig.connected {
            $0.peculiarities.retries.append(
                RetryRule(ResponseCode(rawValue: 0xA102), pause: .milliseconds(1), limit: .seconds(600)))
            $0.onBusy = { isBusy in told.change { $0.append(isBusy) } }
        } _: { session in
            try await session.info(of: .firstPhoto)
        }
        #expect(info.sequenceNumber == 1)
        #expect(told.value == [true, false])
    }

    @Test("an operation that the camera does not list is not sent")
    func gating() async throws {
        let rig = try Rig()
        try await rig.connected { session in
            _ = try await session.device()
            let error = await #expect(throws: CameraError.self) {
                try await session.demand(Call(.formatStore, [0x0001_0001]))
            }
            guard case .notSupported(.formatStore) = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("closing is orderly: the camera sees the session end, not a lost link")
    func orderlyEnd() async throws {
        let rig = try Rig()
        try await rig.connected { _ = try await $0.device() }
        while !rig.log.value.contains(where: { $0.hasPrefix("the client is gone") }) { await Task.yield() }
        #expect(rig.log.value.contains("the session is closed"))
    }
}
