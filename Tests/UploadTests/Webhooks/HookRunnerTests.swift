import Basics
import Bridge
import Glibc
import Posix
import Store
import TestSupport
import Testing
import Upload

/// Real programs, told of photos in a real ledger.
@Suite struct HookRunnerTests {
    let rig: UploadRig
    let reactor: Reactor
    let folder: TemporaryFolder
    let events = Shared<[HookRunner.Event]>([])

    init() async throws {
        rig = try await UploadRig()
        reactor = try Reactor(name: "hooks")
        folder = try TemporaryFolder()
    }

    func script(_ lines: String, _ name: String = "hook") throws -> String {
        try folder.writeProgram("#!/bin/sh\nPATH=/usr/bin:/bin\ncd \(folder.path)\n\(lines)\n", to: name)
        return folder.file(name)
    }

    func runner(
        _ programs: [PhotoEvent: String], inherited: [String: String] = [:],
        onEnd: @escaping @Sendable () -> Void = {},
        facts: HookRunner.Facts? = nil, change: (inout HookRunner.Settings) -> Void = { _ in }
    ) -> HookRunner {
        var settings = HookRunner.Settings()
        settings.programs = programs
        change(&settings)
        return HookRunner(
            settings: settings, reactor: reactor, spool: "/photos/spool", inherited: inherited,
            facts: facts ?? { [rig] in try await rig.ledger.facts(of: $0) }, onEnd: onEnd,
            report: { event in events.change { $0.append(event) } })
    }

    /// Until it is so, or for a minute; then it has ended.
    func running(_ runner: HookRunner, until isTrue: () throws -> Bool) async throws {
        let task = Task { await runner.run() }
        defer { task.cancel() }
        let deadline = reactor.now + .seconds(60)
        while try !isTrue(), reactor.now < deadline {
            try await reactor.sleep(until: reactor.now + .milliseconds(5))
        }
        task.cancel()
        await task.value
    }

    @Test("a hook is told exactly what is documented, and of ours PATH, HOME and LANG")
    func environment() async throws {
        try await rig.stage(1...1)
        let hook = try script("cat /proc/$$/environ > told.part; mv told.part told")
        let runner = runner(
            [.staged: hook],
            inherited: [
                "PATH": "/p", "HOME": "/h", "LANG": "C", "AWS_SECRET_ACCESS_KEY": "x", "LD_PRELOAD": "y",
            ])
        runner.post(.staged, of: CaptureID(1))
        runner.post(.completed, of: CaptureID(1))
        let told = folder.file("told")
        try await running(runner) { access(told, F_OK) == 0 }
        let variables = String(decoding: try readFile(told), as: UTF8.self).split(separator: "\0").sorted()
        #expect(
            variables
                == [
                    "HOME=/h", "LANG=C", "PATH=/p", "TETHERLINE_CAMERA=Nikon Z 9", "TETHERLINE_CAPTURE=1",
                    "TETHERLINE_CAPTURE_DATE=20261121T185903", "TETHERLINE_EVENT=Wedding",
                    "TETHERLINE_EVENT_ID=\(rig.event.id)", "TETHERLINE_FILE=/photos/spool/\(rig.event.id)/1",
                    "TETHERLINE_HAPPENING=staged", "TETHERLINE_NAME=DSC_1.JPG", "TETHERLINE_RECEIPTS=[]",
                    "TETHERLINE_SERIAL=6001234", "TETHERLINE_SHA256=\(String(repeating: "a", count: 64))",
                    "TETHERLINE_SIZE=1000",
                ].map { $0[...] })
        #expect(events.value.isEmpty)
    }

    @Test("what is not known is empty, receipts are JSON, and no shell ever reads a name")
    func facts() {
        let told = HookFacts.environment(
            .completed,
            [
                (key: "capture", value: .integer(7)),
                (key: "event", value: ["id": "e", "name": "$(rm -rf /)"]),
                (key: "name", value: "a\0b`id`.JPG"), (key: "size", value: .null),
                (key: "sha256", value: .null),
                (key: "file", value: .null), (key: "captureDate", value: ""),
                (key: "camera", value: ["manufacturer": .null, "model": .null, "body": .null]),
                (key: "receipts", value: [["destination": "file:///a", "receipt": ["key": "k"]]]),
            ], spool: "/s", inherited: [:])
        #expect(told["TETHERLINE_HAPPENING"] == "completed" && told["TETHERLINE_CAPTURE"] == "7")
        #expect(told["TETHERLINE_EVENT"] == "$(rm -rf /)" && told["TETHERLINE_NAME"] == "ab`id`.JPG")
        for name in ["FILE", "SIZE", "SHA256", "CAMERA", "SERIAL", "CAPTURE_DATE"] {
            #expect(told["TETHERLINE_\(name)"] == "")
        }
        #expect(
            told["TETHERLINE_RECEIPTS"] == #"[{"destination":"file:///a","receipt":{"key":"k"}}]"#)
        #expect(told.count == 12)
    }

    @Test("no more run at a time than may, and all of them run")
    func atMost() async throws {
        try await rig.stage(1...12)
        let hook = try script(
            """
            mkdir running.$TETHERLINE_CAPTURE
            ls -d running.* | wc -l >> counts
            sleep 0.05
            rmdir running.$TETHERLINE_CAPTURE
            echo $TETHERLINE_CAPTURE >> done
            """)
        let ended = Shared(0)
        let runner = runner([.staged: hook], onEnd: { ended.change { $0 += 1 } })
        for number in 1...12 { runner.post(.staged, of: CaptureID(Int64(number))) }
        #expect(runner.needs(CaptureID(12)))
        try await running(runner) { ended.value == 12 }
        #expect(!runner.needs(CaptureID(12)))
        func lines(_ name: String) throws -> [Int] {
            String(decoding: try readFile(folder.file(name)), as: UTF8.self).split(separator: "\n").compactMap
            {
                Int($0)
            }
        }
        #expect(try Set(lines("done")) == Set(1...12))
        let counts = try lines("counts")
        #expect(counts.count == 12 && counts.allSatisfy { (1...2).contains($0) }, "\(counts)")
        #expect(events.value.isEmpty)
    }

    @Test("one that fails is reported with its exit code and its last words; the next runs all the same")
    func fails() async throws {
        try await rig.stage(1...2)
        let hook = try script("echo first >&2; printf 'no room there\\n \\n' >&2; exit 3")
        let ended = Shared(0)
        let runner = runner(
            [.completed: hook], onEnd: { ended.change { $0 += 1 } }, change: { $0.atMost = 1 })
        for number in 1...2 { runner.post(.completed, of: CaptureID(Int64(number))) }
        try await running(runner) { ended.value == 2 }
        #expect(
            events.value.map(\.description) == [
                "\(hook) for photo 1 ended with exit code 3: no room there",
                "\(hook) for photo 2 ended with exit code 3: no room there",
            ])
    }

    @Test("one that takes too long is ended, and said")
    func timeout() async throws {
        try await rig.stage(1...1)
        let hook = try script("echo waiting for ever >&2; sleep 1000")
        let runner = runner([.staged: hook], change: { $0.within = .milliseconds(300) })
        runner.post(.staged, of: CaptureID(1))
        try await running(runner) { !events.value.isEmpty }
        #expect(
            events.value.map(\.description) == [
                "\(hook) for photo 1 was ended because it took longer than 0.3 seconds: waiting for ever"
            ])
    }

    @Test("a program that is removed meanwhile is reported with its path")
    func vanished() async throws {
        try await rig.stage(1...1)
        let runner = runner([.staged: folder.file("none")])
        runner.post(.staged, of: CaptureID(1))
        try await running(runner) { !events.value.isEmpty }
        guard case .failed(_, CaptureID(1), let problem)? = events.value.first else {
            Issue.record("\(events.value)")
            return
        }
        #expect(problem.contains(folder.file("none")) && problem.contains("No such file"))
    }

    @Test("what does not fit into the queue is dropped and said, and so is what was not run at the end")
    func bounded() async throws {
        let isHeld = Shared(true)
        let runner = runner(
            [.staged: "/bin/true"],
            facts: { [reactor] _ in
                while isHeld.value, !Task.isCancelled {
                    try await reactor.sleep(until: reactor.now + .milliseconds(5))
                }
                return nil
            })
        for number in Int64(0)..<1005 { runner.post(.staged, of: CaptureID(number)) }
        try await running(runner) { !events.value.isEmpty }
        // Two were taken out of the queue by then.
        #expect(events.value.contains(.dropped(5)) && events.value.contains(.notRun(998)))
        #expect(!runner.needs(CaptureID(999)))
    }

    @Test("at the end what runs is ended with all its children")
    func cancelled() async throws {
        try await rig.stage(1...1)
        let hook = try script("sleep 1000 & echo $! > pid.part; mv pid.part pid; wait")
        let runner = runner([.staged: hook])
        runner.post(.staged, of: CaptureID(1))
        let start = reactor.now
        let path = folder.file("pid")
        try await running(runner) { access(path, F_OK) == 0 }
        #expect(reactor.now - start < .seconds(100))
        #expect(events.value.map(\.description) == ["\(hook) for photo 1 was ended because the bridge ends"])
        let pid = try #require(Int32(String(decoding: try readFile(path), as: UTF8.self).filter(\.isNumber)))
        let deadline = reactor.now + .seconds(20)
        while kill(pid, 0) == 0, reactor.now < deadline {
            try await reactor.sleep(until: reactor.now + .milliseconds(10))
        }
        // Dead, or a zombie that its new parent has not waited for.
        if kill(pid, 0) == 0 {
            let stat = try ReadableFile.virtualContents(of: "/proc/\(pid)/stat", limit: 1000)
            #expect(String(decoding: stat, as: UTF8.self).contains(") Z "))
        }
    }
}
