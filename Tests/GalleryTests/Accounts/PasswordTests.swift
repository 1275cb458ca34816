import Basics
import Glibc
import TestSupport
import Testing

@testable import Gallery

@Suite struct PasswordTests {
    private let hash = PasswordHash(cost: 1)
    private let random = SeededSource(7)

    @Test("a password is right, any other is wrong, and no two hashes of one are the same")
    func rightAndWrong() {
        let first = hash.make("correct horse", random: random)
        let second = hash.make("correct horse", random: random)
        #expect(first != second && first.hasPrefix("$y$"))
        #expect(hash.check("correct horse", against: first) == .right)
        #expect(hash.check("correct horse", against: second) == .right)
        for wrong in ["correct horsf", "correct hors", "correct horse ", "Correct horse", ""] {
            #expect(hash.check(wrong, against: first) == .wrong)
        }
    }

    @Test("libxcrypt by way of Python says the same of our hash, and we of its")
    func judgedByPython() throws {
        let python = try #require(Tool("python3"), "python3 judges the hashes")
        let script = """
            import ctypes, sys
            crypt = ctypes.CDLL("libcrypt.so.1").crypt
            crypt.restype = ctypes.c_char_p
            print(crypt(sys.argv[1].encode(), sys.argv[2].encode()).decode())
            """
        let password = "pässwörd 🔑"
        let ours = hash.make(password, random: random)
        #expect(try python.run(["-c", script, password, ours]).lines == [ours])
        let theirs = try #require(
            try python.run(["-c", script, password, "$6$saltsalt$"]).lines.first)
        // Another method, which is stale here.
        #expect(theirs.hasPrefix("$6$") && hash.check(password, against: theirs) == .rightAndStale)
    }

    @Test("a hash at another cost is right and stale")
    func stale() {
        let old = hash.make("correct horse", random: random)
        #expect(PasswordHash(cost: 2).check("correct horse", against: old) == .rightAndStale)
        #expect(PasswordHash(cost: 2).check("wrong horse", against: old) == .wrong)
    }

    @Test(
        "a hash that is damaged, empty or missing accepts no password",
        arguments: [
            nil, "", "*0", "*", "x", "$y$", "$y$j75$", "$9$what$ever", "plain password",
        ])
    func damaged(kept: String?) {
        #expect(hash.check("plain password", against: kept) == .wrong)
    }

    @Test("every byte of a long password counts, also beyond what crypt takes")
    func longOnes() {
        for length in [510, 511, 512, 1024] {
            let password = String(repeating: "x", count: length)
            let kept = hash.make(password, random: random)
            #expect(hash.check(password, against: kept) == .right)
            #expect(hash.check(password.dropLast() + "y", against: kept) == .wrong)
            #expect(hash.check(password + "x", against: kept) == .wrong)
        }
    }

    @Test("a NUL ends no password: what stands behind it counts")
    func nul() {
        let kept = hash.make("471100", random: random)
        #expect(hash.check("471100\0", against: kept) == .wrong)
        #expect(hash.check("471100\0x", against: kept) == .wrong)
        #expect(hash.check("471100\0x", against: hash.make("471100\0y", random: random)) == .wrong)
        #expect(hash.check("471100", against: kept) == .right)
    }

    @Test("where there is no hash it takes about as long as where there is one")
    func sameTime() {
        let hash = PasswordHash(cost: 4)
        let kept = hash.make("correct horse", random: random)
        // The thread's own time: what else the machine does meanwhile says nothing about either.
        func worked() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        func quickest(_ kept: String?) -> Duration {
            (0..<5).map { _ in
                let began = worked()
                _ = hash.check("wrong horse", against: kept)
                return worked() - began
            }.min() ?? .zero
        }
        let known = quickest(kept)
        let unknown = quickest(nil)
        #expect(unknown * 2 > known && known * 2 > unknown, "\(known) and \(unknown)")
    }

    @Test("as many wait as there is room for, and later requests are told when to try again")
    func bounded() async throws {
        let executor = HeldExecutor()
        let hasher = PasswordHasher(executor: executor, random: random, hash: hash, mostWaiting: 3)
        let kept = hash.make("correct horse", random: random)
        let verdicts = try await withThrowingTaskGroup(of: PasswordHash.Verdict.self) { group in
            for _ in 0..<3 { group.addTask { try await hasher.check("correct horse", against: kept) } }
            while hasher.waiting < 3 { await Task.yield() }
            await executor.wait(for: 1)
            for _ in 0..<5 {
                let error = await #expect(throws: APIError.self) { _ = try await hasher.make("another") }
                #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(3))
            }
            var verdicts: [PasswordHash.Verdict] = []
            while verdicts.count < 3 {
                // One after another.
                await executor.wait(for: 1)
                executor.release()
                if let verdict = try await group.next() { verdicts.append(verdict) }
            }
            return verdicts
        }
        #expect(verdicts == [.right, .right, .right])
        // There is room again.
        async let more = hasher.check("wrong", against: kept)
        await executor.wait(for: 1)
        executor.release()
        #expect(try await more == .wrong)
    }
}
