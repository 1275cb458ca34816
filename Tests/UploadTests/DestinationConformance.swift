import Bridge
import Digest
import TestSupport
import Testing
import Upload
import WorldSupport

/// One destination, and a way to look at what has arrived there.
struct DestinationPlace: Sendable {
    let destination: any Destination
    /// What lies there under final names, and how large it is.
    let sizes: @Sendable () -> [String: UInt64]
    let bytes: @Sendable (_ name: String) throws -> [UInt8]
    /// What is in the making, where that can be seen.
    let unfinished: @Sendable () -> [String]
    /// Puts other bytes under a name, as another program would.
    let overwrite: @Sendable (_ name: String, _ bytes: [UInt8]) throws -> Void
    /// Removes everything that has arrived.
    let clear: @Sendable () -> Void
    /// Puts another program's file there, where that is quicker than delivering one.
    var put: (@Sendable (_ name: String, _ bytes: [UInt8]) throws -> Void)?
    /// A photo is there at once, however large.
    var isInstant = false
    /// What was taken back on its way is kept, and gone on with.
    var goesOn = false

    func arrived() throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: sizes().keys.map { ($0, try bytes($0)) })
    }
}

/// What every kind of destination that we choose the names for has to do alike. Each kind runs all the claims.
struct DestinationConformance {
    typealias Factory = @Sendable (TestSpool) async throws -> DestinationPlace

    let spool: TestSpool
    let place: DestinationPlace

    init(_ make: Factory) async throws {
        spool = try TestSpool()
        place = try await make(spool)
    }

    struct Claim: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable (DestinationConformance) async throws -> Void

        init(_ sentence: String, _ check: @escaping @Sendable (DestinationConformance) async throws -> Void) {
            testDescription = sentence
            self.check = check
        }
    }

    static let claims = [
        Claim("what was delivered is the same bytes, and the receipt says what lies there") {
            try await $0.sameBytes()
        },
        Claim("delivering a job again makes no second file and gives the same receipt") {
            try await $0.again()
        },
        Claim("another photo of the same name gets another name") { try await $0.sameName() },
        Claim("so does a photo whose name many others have, after few questions") {
            try await $0.manyOfOneName()
        },
        Claim("the same photo under the same name is there already") { try await $0.samePhoto() },
        Claim("nothing half-written is seen under a final name") { try await $0.nothingHalf() },
        Claim("a delivery that was taken back before it began leaves nothing") { try await $0.takenBack() },
        Claim("a delivery that is taken back on its way ends and leaves nothing") {
            try await $0.takenBackOnTheWay()
        },
        Claim("a photo that is gone from the spool waits for the operator") { try await $0.missing() },
        Claim("a photo that has changed in the spool is not delivered") { try await $0.damaged() },
        Claim("hostile names stay inside") { try await $0.hostileNames() },
        Claim("two are delivered at a time, also when both want one name") { try await $0.twoAtATime() },
        Claim("what lies there is found to be right, wrong or gone, and can be read") {
            try await $0.lookedAt()
        },
        Claim("what is gone gets its name again, though another photo would have taken it") {
            try await $0.sameNameAgain()
        },
    ]

    /// The name the photo has there, when it was delivered as it should be.
    @discardableResult
    func deliver(_ job: Job) async -> String? {
        let outcome = await place.destination.deliver(job)
        guard case .delivered(let receipt) = outcome else {
            Issue.record("\(job.facts.name): \(outcome)")
            return nil
        }
        #expect(receipt.size == job.photo.size)
        #expect(receipt.sha256 == job.photo.sha256)
        return receipt.key
    }
}

extension DestinationConformance {
    private func sameBytes() async throws {
        for (number, count) in [0, 1, 99_999, 9 << 20].enumerated() {
            let bytes = photoBytes(UInt64(number), count)
            let name = "DSC_000\(number).JPG"
            let key = await deliver(try spool.job(Int64(number), name, bytes))
            #expect(key == name)
            #expect(try place.bytes(name) == bytes)
        }
        #expect(place.sizes().count == 4)
        #expect(place.unfinished().isEmpty)
    }

    private func again() async throws {
        let first = try spool.job(1, "A.JPG", photoBytes(1))
        let second = try spool.job(2, "A.JPG", photoBytes(2))
        let names = [await deliver(first), await deliver(second)]
        for _ in 0..<2 {
            #expect(await deliver(second) == names[1])
            #expect(await deliver(first) == names[0])
        }
        #expect(try place.arrived() == ["A.JPG": photoBytes(1), "A-2.JPG": photoBytes(2)])
    }

    private func sameName() async throws {
        // As large as the others, so that only a look at the bytes tells them apart.
        for number in 1...4 {
            let key = await deliver(try spool.job(Int64(number), "A.JPG", photoBytes(UInt64(number))))
            #expect(key == (number == 1 ? "A.JPG" : "A-\(number).JPG"))
        }
        #expect(await deliver(try spool.job(5, "A.JPG", photoBytes(5, 7))) == "A-5.JPG", "or smaller")
        let arrived = try place.arrived()
        #expect(arrived.count == 5)
        #expect(arrived["A.JPG"] == photoBytes(1) && arrived["A-4.JPG"] == photoBytes(4))
    }

    private func manyOfOneName() async throws {
        for number in 1...14 {
            let name = SafeName.numbered("A.JPG", number)
            let bytes = photoBytes(UInt64(number), 10)
            if let put = place.put {
                try put(name, bytes)
            } else {
                #expect(await deliver(try spool.job(Int64(number), "A.JPG", bytes)) == name)
            }
        }
        let job = try spool.job(15, "A.JPG", photoBytes(15))
        let name = "A-\(job.photo.sha256.prefix(8)).JPG"
        #expect(await deliver(job) == name)
        #expect(try place.bytes(name) == photoBytes(15))
        #expect(place.sizes().count == 15 && place.unfinished().isEmpty)
    }

    private func samePhoto() async throws {
        #expect(await deliver(try spool.job(1, "A.JPG", photoBytes(1))) == "A.JPG")
        #expect(await deliver(try spool.job(2, "A.JPG", photoBytes(1))) == "A.JPG")
        #expect(
            await deliver(try spool.job(3, "B.JPG", photoBytes(1))) == "B.JPG", "another name is another file"
        )
        #expect(try place.arrived() == ["A.JPG": photoBytes(1), "B.JPG": photoBytes(1)])
    }

    private func nothingHalf() async throws {
        let job = try spool.largeJob(1, "LARGE.NEF", size: 96 << 20)
        let isDone = Shared(false)
        let watcher = Task { [place] in
            var looks = 0
            while !isDone.value {
                let sizes = place.sizes()
                #expect(sizes.isEmpty || sizes == ["LARGE.NEF": job.photo.size], "\(sizes)")
                looks += 1
                await Task.yield()
            }
            return looks
        }
        await deliver(job)
        isDone.change { $0 = true }
        #expect(await watcher.value > 0)
        #expect(place.sizes() == ["LARGE.NEF": job.photo.size])
        #expect(place.unfinished().isEmpty)
    }

    private func takenBack() async throws {
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        let task = Task { [place] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await place.destination.deliver(job)
        }
        #expect(await task.value == .cancelled)
        #expect(place.sizes().isEmpty && place.unfinished().isEmpty)
        #expect(await deliver(job) == "A.JPG", "and it goes another time")
    }

    private func takenBackOnTheWay() async throws {
        let job = try spool.largeJob(1, "LARGE.NEF", size: 512 << 20)
        // When the machine gives this test a turn is unknown: a few tries.
        for _ in 0..<10 {
            let task = Task { [place] in await place.destination.deliver(job) }
            while place.unfinished().isEmpty, place.sizes().isEmpty { await Task.yield() }
            task.cancel()
            let outcome = await task.value
            #expect(place.unfinished().isEmpty || place.goesOn && outcome == .cancelled)
            if outcome == .cancelled {
                #expect(place.sizes().isEmpty)
                if place.goesOn { await deliver(job) }
                #expect(place.unfinished().isEmpty)
                return
            }
            guard case .delivered = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(place.sizes() == ["LARGE.NEF": job.photo.size])
            // Where a photo is there at once there is no way to take it back on.
            if place.isInstant { return }
            place.clear()
        }
        Issue.record("a delivery cannot be taken back")
    }

    private func missing() async throws {
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        spool.remove(job)
        let outcome = await place.destination.deliver(job)
        guard case .permanent(let problem) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problem.hasPrefix("localFileMissing: \(spool.path)/1 "))
        #expect(place.sizes().isEmpty && place.unfinished().isEmpty)
    }

    private func damaged() async throws {
        let bytes = photoBytes(1)
        let changed = bytes.dropLast() + [bytes[99_999] ^ 1]
        let cases: [(bytes: [UInt8], isOtherSize: Bool)] = [
            (Array(changed), false), (Array(bytes.dropLast()), true), (bytes + [0], true), ([], true),
        ]
        for (number, example) in cases.enumerated() {
            let job = try spool.job(Int64(number), "A.JPG", bytes)
            try spool.overwrite(job, with: example.bytes)
            switch await place.destination.deliver(job) {
            case .permanent(let problem):
                #expect(problem.hasPrefix("localFileDamaged: \(spool.path)/\(number) "))
            // Whether the photo or its copy is bad another try may show.
            case .retryable(let problem, _) where !example.isOtherSize:
                #expect(problem.hasPrefix("localFileDamaged: \(spool.path)/\(number) "))
            case let outcome: Issue.record("\(outcome)")
            }
            #expect(place.sizes().isEmpty && place.unfinished().isEmpty)
        }
    }

    private func hostileNames() async throws {
        let names = [
            "../../etc/passwd.JPG", "/etc/passwd", "..", ".", "", "a/../../b.JPG", ".hidden.JPG", "-rf",
            "a\u{0}b.JPG", "a\nb.JPG", "..\\..\\b.JPG", "a/\u{301}b", "CON", "\u{202E}GPJ.exe",
            ".tetherline-00000000-0000-4000-8000-100000000000.part",
            String(repeating: "ü", count: 400) + ".JPG",
        ]
        for (number, name) in names.enumerated() {
            let bytes = photoBytes(UInt64(number), 1000)
            guard let key = await deliver(try spool.job(Int64(number), name, bytes)) else { continue }
            #expect(!key.contains("/") && !key.hasPrefix(".") && !key.hasPrefix("-") && key.utf8.count <= 255)
            #expect(try place.bytes(key) == bytes)
        }
        #expect(place.sizes().count == names.count)
        #expect(place.unfinished().isEmpty)
    }

    private func twoAtATime() async throws {
        if case .local(let slots) = place.destination.reach, slots < 2 { return }
        for round in Int64(0)..<20 {
            let number = round * 2
            let name = "\(round).JPG"
            let isSame = round % 2 == 0
            let (left, right) = (photoBytes(UInt64(number)), photoBytes(UInt64(number + (isSame ? 0 : 1))))
            let (first, second) = (try spool.job(number, name, left), try spool.job(number + 1, name, right))
            async let one = deliver(first)
            async let other = deliver(second)
            let keys = [await one, await other].compactMap { $0 }.sorted()
            #expect(keys == (isSame ? [name, name] : ["\(round)-2.JPG", name]))
            for key in keys {
                let bytes = try place.bytes(key)
                #expect(bytes == left || bytes == right)
            }
        }
        #expect(place.sizes().count == 30)
        #expect(place.unfinished().isEmpty)
    }
}
