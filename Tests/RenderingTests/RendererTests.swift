import Glibc
import Imaging
import Posix
import Rendering
import TestSupport
import Testing

@Suite(
    .enabled(
        if: RenderRig.gallery != nil && Tool.isThere("convert") && Tool.isThere("sha256sum"),
        "the gallery is not built in release mode, or ImageMagick or sha256sum is not installed"))
struct RendererTests {
    let rig: RenderRig

    init() throws {
        rig = try RenderRig(program: try #require(RenderRig.gallery))
    }

    func make(_ name: String, _ arguments: [String]) throws -> RenderJob {
        let tool = try #require(Tool("convert"))
        let output = try tool.run(arguments + [rig.folder.file(name)])
        #expect(output.code == 0, "\(output.errors)")
        return rig.job(name)
    }

    @Test("a photo comes back as its renditions, its facts and the hash that sha256sum finds")
    func photo() async throws {
        let two = try make("a.jpg", ["-size", "3000x2000", "plasma:fractal"])
        let job = RenderJob(
            file: two.file, declaredType: two.declaredType,
            renditions: two.renditions + [RenditionRequest(path: rig.folder.file("a.jpg.medium"), edge: 800)])
        let photo = try await rig.render(job).get()
        #expect([photo.width, photo.height, photo.orientation] == [3000, 2000, 1])
        #expect([photo.renditions[0].width, photo.renditions[0].height] == [400, 267])
        #expect([photo.renditions[1].width, photo.renditions[1].height] == [2048, 1365])
        #expect([photo.renditions[2].width, photo.renditions[2].height] == [800, 533])
        #expect(UInt64(try readFile(job.renditions[0].path).count) == photo.renditions[0].size)
        #expect(UInt64(try readFile(job.renditions[1].path).count) == photo.renditions[1].size)
        #expect(UInt64(try readFile(job.renditions[2].path).count) == photo.renditions[2].size)
        #expect(UInt64(try readFile(job.file).count) == photo.size)
        let judge = try #require(Tool("sha256sum"))
        #expect(try judge.run([job.file]).text.prefix(64) == photo.sha256)
        let sums = try #require(Tool("python3")).run(
            [
                "-c",
                "import sys, zlib\nfor path in sys.argv[1:]: print(zlib.crc32(open(path, 'rb').read()))",
                job.file,
            ]
                + job.renditions.map(\.path))
        #expect(
            sums.lines == ([try #require(photo.crc32)] + photo.renditionCRCs).map { "\($0)" },
            "\(sums.errors)")
        await rig.stop()
    }

    @Test("a refusal has its code and its sentence, and the same renderer goes on")
    func refusals() async throws {
        let job = try make("a.jpg", ["-size", "300x200", "plasma:fractal"])
        try rig.folder.write("no image at all", to: "text.jpg")
        try rig.folder.write(Array(try readFile(job.file).dropLast(100)), to: "cut.jpg")
        for (name, type, code) in [
            ("text.jpg", "image/jpeg", RenderProblem.Code.notAnImage), ("a.jpg", "image/png", .typeMismatch),
            ("cut.jpg", "image/jpeg", .truncated), ("none.jpg", "image/jpeg", .storage),
        ] {
            let result = await rig.render(rig.job(name, type: type))
            #expect(result.code == code, "\(name)")
            #expect(!Tool.isThere(rig.job(name).renditions[0].path))
        }
        #expect(await rig.render(job).code == nil)
        await rig.stop()
    }

    @Test("a path with every odd character in it is rendered")
    func names() async throws {
        let job = try make("a\\b \"c\" ü\t{}.jpg", ["-size", "30x20", "plasma:fractal"])
        #expect(await rig.render(job).code == nil)
        await rig.stop()
    }

    @Test("the kernel holds a renderer to its memory, its files and its time, and it holds nothing of ours")
    func limits() async throws {
        let reactor = try Reactor(name: "renderer test")
        let worker = try WorkerProcess(
            try #require(RenderRig.gallery), ["render"], environment: [:], on: reactor)
        _ = try await worker.ask("{}", within: .seconds(20), longest: 1000)
        let lines = String(
            decoding: try ReadableFile.virtualContents(of: "/proc/\(worker.pid)/limits", limit: 8192),
            as: UTF8.self
        )
        .split(separator: "\n")
        func limit(_ name: String) -> [Substring] {
            let line = lines.first { $0.hasPrefix("Max \(name)") } ?? ""
            return line.dropFirst(26).split(separator: " ").prefix(2).map { $0 }
        }
        let limits = WorkerLimits()
        #expect(limit("address space") == ["\(limits.memory)", "\(limits.memory)"])
        #expect(limit("file size") == ["\(limits.fileSize)", "\(limits.fileSize)"])
        #expect(limit("core file size") == ["0", "0"])
        let seconds = try #require(limit("cpu time").first.flatMap { Int($0) })
        #expect((1...(limits.processorSeconds + 5)).contains(seconds))
        let open = try Directory(path: "/proc/\(worker.pid)/fd").names(limit: 100)
        #expect(open == ["0", "1", "2"])
        #expect(await worker.end() == .exit(0), "no process is left to ask it")
        reactor.shutDown()
    }

    @Test("what a large picture took of the memory goes back when nothing else comes")
    func memory() async throws {
        let job = try make("large.png", ["-size", "3000x2000", "plasma:fractal"])
        let reactor = try Reactor(name: "renderer test")
        defer { reactor.shutDown() }
        let worker = try WorkerProcess(
            try #require(RenderRig.gallery), ["render"], environment: [:], on: reactor)
        func kilobytes(_ name: String) throws -> Int {
            let status = try ReadableFile.virtualContents(of: "/proc/\(worker.pid)/status", limit: 8192)
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first {
                $0.hasPrefix("\(name):")
            }
            return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
        }
        let wanted = """
            {"path":"\(rig.folder.file("out"))","edge":2048,"quality":82,"progressive":true,"drawing":false}
            """
        let line = #"{"file":"\#(job.file)","type":"image/png","renditions":[\#(wanted)]}"#
        let answer = try await worker.ask(line, within: .seconds(20), longest: 16 << 10)
        #expect(answer.contains("sha256"), "\(answer)")
        // Its planes alone are 9 MB.
        let rest = try kilobytes("VmHWM") - 8000
        let deadline = reactor.now + .seconds(60)
        while try kilobytes("VmRSS") > rest, reactor.now < deadline {
            try await reactor.sleep(until: reactor.now + .milliseconds(10))
        }
        #expect(try kilobytes("VmRSS") <= rest)
        #expect(await worker.end() == .exit(0))
        await rig.stop()
    }
}
