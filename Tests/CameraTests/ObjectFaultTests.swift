import Basics
import Camera
import PTP
import Simulator
import TestSupport
import Testing

@Suite struct NoticeFaultTests {
    /// What a client hears of two shots.
    func heard(_ script: String) async throws -> [EventPacket] {
        let rig = try Rig(script)
        let session = try await rig.connected { [camera = rig.camera] session in
            _ = try await session.device()
            await camera.shoot()
            await camera.shoot()
            // The answer to a call comes behind the notices: both are posted in order on this camera's thread.
            _ = try await session.list()
            return session
        }
        // The connection is over, so the sequence ends behind what was heard.
        var notices: [EventPacket] = []
        for await notice in session.notices { notices.append(notice) }
        return notices
    }

    @Test("a camera tells of each photo, then that the shot is complete")
    func usual() async throws {
        let codes = try await heard("").map(\.code)
        #expect(codes == [.objectAdded, .captureComplete, .objectAdded, .captureComplete])
    }

    @Test("what is told twice is heard once")
    func duplicates() async throws {
        #expect(try await heard("duplicate-notices") == (try await heard("")))
    }

    @Test("a camera that only says that a shot is complete is heard so far")
    func onlyComplete() async throws {
        #expect(try await heard("only-capture-complete").map(\.code) == [.captureComplete])
    }

    @Test("a camera that says nothing still lists its photos")
    func missing() async throws {
        let rig = try Rig("missing-notices")
        let listing = try await rig.connected { [camera = rig.camera] session in
            await camera.shoot()
            return try await session.list()
        }
        #expect(listing.objects.filter { !$0.info.isFolder }.count == 4)
    }

    @Test("a notice ahead of its time is kept")
    func early() async throws {
        let rig = try Rig("early-notice")
        let first = try await rig.connected { session in
            await session.notices.makeAsyncIterator().next()
        }
        #expect(first?.code == .objectAdded)
    }

    @Test("a flood of notices is bounded, and its loss is told as the standard tells it")
    func flood() async throws {
        let rig = try Rig("notice-flood count=20000 times=1")
        try await rig.connected { [camera = rig.camera] session in
            _ = try await session.device()
            await camera.shoot()
            // A call behind the flood: when it is answered, all of it has been received.
            _ = try await session.list()
            var heard: [EventPacket] = []
            let iterator = session.notices.makeAsyncIterator()
            while heard.last?.code != .unreportedStatus, let notice = await iterator.next() {
                heard.append(notice)
            }
            #expect(heard.count <= Notices.limit + 1)
            #expect(heard.last?.code == .unreportedStatus)
        }
    }
}

@Suite struct ObjectFaultTests {
    let clock = ManualClock()

    @Test("a photo that is not ready yet is, a moment later")
    func notReady() async throws {
        let rig = try Rig("not-ready for=800ms code=0xA102", clock: clock)
        try await rig.connected { [camera = rig.camera, clock] session in
            await camera.shoot()
            let new = ObjectHandle(rawValue: 0x0001_0006)
            let error = await #expect(throws: CameraError.self) { try await session.info(of: new) }
            #expect(error?.response?.rawValue == 0xA102)
            clock.advance(by: .milliseconds(800))
            let info = try await session.info(of: new)
            #expect(info.compressedSize == 200_000)
        }
    }

    @Test("a size that is 0 at first becomes the true one")
    func lateSize() async throws {
        let rig = try Rig("late-size for=1s", clock: clock)
        try await rig.connected { [camera = rig.camera, clock] session in
            await camera.shoot()
            let new = ObjectHandle(rawValue: 0x0001_0006)
            let early = try await session.info(of: new)
            clock.advance(by: .seconds(1))
            let late = try await session.info(of: new)
            #expect(early.compressedSize == 0 && late.compressedSize == 200_000)
        }
    }

    func files(_ script: String, shots: Int = 0) async throws -> [String] {
        let rig = try Rig(script)
        return try await rig.connected { [camera = rig.camera] session in
            for _ in 0..<shots { await camera.shoot() }
            let listing = try await session.list()
            return listing.objects.map { ($0.folders + [$0.info.fileName]).joined(separator: "/") }
        }
    }

    @Test("the same name in many folders, and the wrap of the numbers")
    func names() async throws {
        #expect(
            try await files("same-name") == [
                "DCIM", "DCIM/100TETHR", "DCIM/100TETHR/TETH0001.JPG", "DCIM/101TETHR",
                "DCIM/101TETHR/TETH0001.JPG", "DCIM/102TETHR", "DCIM/102TETHR/TETH0001.JPG",
            ])
        #expect(
            try await files("first-number value=9998").suffix(3) == [
                "DCIM/100TETHR/TETH9999.JPG", "DCIM/101TETHR", "DCIM/101TETHR/TETH0001.JPG",
            ])
    }

    @Test("a folder whose date is none is a folder")
    func oddFolderDate() async throws {
        let rig = try Rig("odd-folder-date")
        let listing = try await rig.connected { try await $0.list() }
        #expect(listing.objects.first?.info.captureDate == "19800000T000000")
    }

    @Test("an object of 5 GiB has its true size, and can be read beyond 4 GiB")
    func huge() async throws {
        let rig = try Rig("huge-object times=1")
        try await rig.connected { [camera = rig.camera, workers = rig.workers] session in
            _ = try await session.device()
            await camera.shoot()
            let object = try #require(try await session.list().objects.last)
            #expect(object.handle == ObjectHandle(rawValue: 0x0001_0006))
            #expect(object.info.sizeIsClamped && object.size == 5 << 30)
            let end = TailSink(from: (5 << 30) - 100_000)
            _ = try await session.fetch(
                object.handle, .parts(of: 30_000, from: (5 << 30) - 100_000, size: 5 << 30), into: end,
                workers: workers)
            #expect(end.count == 100_000 && end.last == [0xFF, 0xD9])
        }
    }

    @Test("an object larger than the limit is not fetched, and the connection goes on")
    func largerThanAllowed() async throws {
        let rig = try Rig()
        try await rig.connected {
            $0.largestObject = 100_000
        } _: { [workers = rig.workers] session in
            let sink = ArraySink()
            let error = await #expect(throws: CameraError.self) {
                try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
            }
            guard case .tooMuchData(.getObject, limit: 100_000) = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(sink.bytes.count <= 100_000)
            let info = try await session.info(of: .firstPhoto)
            #expect(info.compressedSize == 200_000)
        }
    }

    @Test("a card that is changed takes its handles with it")
    func cardSwap() async throws {
        let rig = try Rig("card-swap shots=1")
        try await rig.connected { [camera = rig.camera] session in
            await camera.shoot()
            let error = await #expect(throws: CameraError.self) { try await session.info(of: .firstPhoto) }
            #expect(error?.response == .invalidObjectHandle)
            let listing = try await session.list()
            #expect(listing.objects.filter { !$0.info.isFolder }.count == 1)
            let notices = session.notices.makeAsyncIterator()
            #expect(await notices.next()?.code == .storeRemoved)
            #expect(await notices.next()?.code == .storeAdded)
        }
    }

    @Test("after a reconnect handles may be new, and the photos are the same")
    func renumber() async throws {
        let rig = try Rig("renumber")
        func listed() async throws -> [ListedObject] {
            try await rig.connected { session in try await session.list().objects }
        }
        func files(_ objects: [ListedObject]) -> [[String]] {
            objects.map { $0.folders + [$0.info.fileName] }
        }
        let before = try await listed()
        let after = try await listed()
        #expect(files(before) == files(after) && before.map(\.size) == after.map(\.size))
        #expect(before.count == 5 && Set(before.map(\.handle)).isDisjoint(with: after.map(\.handle)))
    }

    @Test("after a reconnect handles may be void until they are listed again")
    func staleHandles() async throws {
        let rig = try Rig("stale-handles")
        try await rig.connected { session in _ = try await session.info(of: .firstPhoto) }
        try await rig.connected { session in
            let error = await #expect(throws: CameraError.self) { try await session.info(of: .firstPhoto) }
            #expect(error?.response == .invalidObjectHandle)
            _ = try await session.handles()
            _ = try await session.info(of: .firstPhoto)
        }
    }

    @Test("an object in memory can be read once")
    func inMemory() async throws {
        let rig = try Rig("in-memory")
        try await rig.connected { [workers = rig.workers] session in
            let info = try await session.info(of: .firstPhoto)
            #expect(info.storage.rawValue == 0)
            let sink = ArraySink()
            _ = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
            #expect(sink.bytes.count == 200_000)
            let error = await #expect(throws: CameraError.self) { try await session.info(of: .firstPhoto) }
            #expect(error?.response == .invalidObjectHandle)
        }
    }

    @Test("a full card tells so, and holds no new photo")
    func storeFull() async throws {
        let rig = try Rig("store-full")
        try await rig.connected { [camera = rig.camera] session in
            await camera.shoot()
            let listing = try await session.list()
            #expect(listing.objects.count == 5)
            #expect(await session.notices.makeAsyncIterator().next()?.code == .storeFull)
        }
    }
}

@Suite struct ErrorFaultTests {
    @Test("a camera that is busy is asked again, and again, and then not any more")
    func busy() async throws {
        let rig = try Rig("busy times=3 operation=0x1008")
        try await rig.connected { session in _ = try await session.info(of: .firstPhoto) }

        let always = try Rig("busy operation=0x1008")
        let error = await #expect(throws: CameraError.self) {
            try await always.connected {
                $0.peculiarities.retries = [
                    RetryRule(.deviceBusy, pause: .milliseconds(100), limit: .milliseconds(250))
                ]
            } _: { session in
                _ = try await session.info(of: .firstPhoto)
            }
        }
        #expect(error?.response == .deviceBusy)
    }

    @Test("a camera that locks its photos says so once, and the advice is about its mode")
    func accessLock() async throws {
        let rig = try Rig("access-lock")
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected { session in _ = try await session.info(of: .firstPhoto) }
        }
        #expect(error?.response == .accessDenied)
        #expect(error?.description.contains("another transfer mode") == true)
    }

    @Test("after the operation that poisons it, a camera answers nothing else until it is connected anew")
    func poison() async throws {
        let rig = try Rig("poison operation=0x100A")
        try await rig.connected { session in
            await #expect(throws: CameraError.self) { try await session.thumbnail(of: .firstPhoto) }
            let error = await #expect(throws: CameraError.self) { try await session.info(of: .firstPhoto) }
            #expect(error?.response == .generalError)
        }
        try await rig.connected { session in _ = try await session.info(of: .firstPhoto) }
    }
}

/// Counts what it gets and keeps the last bytes.
private final class TailSink: PayloadSink {
    private let state: Shared<(next: UInt64, count: Int, last: [UInt8])>

    init(from offset: UInt64) {
        state = Shared((offset, 0, []))
    }

    var count: Int { state.value.count }
    var last: [UInt8] { state.value.last }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        let end = Array(bytes.suffix(2))
        state.change { state in
            precondition(offset == state.next, "bytes come in order")
            state.next += UInt64(bytes.count)
            state.count += bytes.count
            state.last = end
        }
    }
}
