import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a staged file has its name only when it is whole, and never replaces another")
    func staging() throws {
        let directory = try Directory(path: folder.path)
        let file = try StagedFile(in: directory, partialName: ".a.part")
        try file.preallocate(1 << 20)
        #expect(try file.size() == 0)
        try [1, 2, 3].withUnsafeBytes { try file.write(UnsafeRawBufferPointer(rebasing: $0[..<3]), at: 0) }
        #expect(folder.contents() == [".a.part"])
        try folder.write("other", to: "a")
        #expect(try file.publish(as: "a") == .nameTaken)
        #expect(try file.publish(as: "a-2") == .published)
        #expect(folder.contents() == ["a", "a-2"])
        #expect(try readFile(folder.file("a")) == Array("other".utf8))
        #expect(try readFile(folder.file("a-2")).count == 3)
    }

    @Test("what a partial file holds is still there when it is opened again")
    func reopening() throws {
        let directory = try Directory(path: folder.path)
        let bytes = [UInt8](repeating: 7, count: 5000)
        do {
            let file = try StagedFile(in: directory, partialName: ".a.part")
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        }
        let again = try StagedFile(in: directory, partialName: ".a.part")
        #expect(try again.size() == 5000)
        try again.truncate(to: 10)
        #expect(try again.size() == 10)
        try again.discard()
        #expect(folder.contents().isEmpty)
    }

    @Test("a link where a partial file or a folder should be is not followed")
    func links() throws {
        let directory = try Directory(path: folder.path)
        symlink("/tmp/elsewhere-of-tetherline", folder.file(".a.part"))
        #expect(throws: SystemError.self) { try StagedFile(in: directory, partialName: ".a.part") }
        symlink("/tmp", folder.file("DCIM"))
        #expect(throws: SystemError.self) { try directory.subdirectory("DCIM") }
    }

    @Test("what a folder holds is listed by name with what each of it is, and links are not followed")
    func kinds() throws {
        try folder.write("x", to: "b")
        folder.makeFolder("c")
        symlink("b", folder.file("a"))
        symlink("c", folder.file("e"))
        #expect(mkfifo(folder.file("d"), 0o600) == 0)
        let kinds = try Directory(path: folder.path).kinds(limit: 5)
        #expect(kinds.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(kinds.map(\.kind) == [.other, .file, .folder, .other, .other])
        #expect(throws: SystemError.self) { try Directory(path: folder.path).kinds(limit: 4) }
    }

    @Test("a path is made folder by folder, and is no error when it is there")
    func makingPaths() throws {
        let path = folder.file("a/b/c")
        #expect(try Directory.make(path: path).path == path)
        #expect(try Directory.make(path: path + "/").facts(of: "x") == nil)
        let relative = try Directory(path: folder.file("a"))
        #expect(try relative.subdirectory("b").names(limit: 10) == ["c"])
    }

    @Test("a small file is written whole, with its mode, and replaces the old one")
    func atomicWrite() throws {
        let directory = try Directory(path: folder.path)
        try writeAtomically(Array("one".utf8), to: "identity", in: directory)
        try writeAtomically(Array("two".utf8), to: "identity", in: directory)
        #expect(try ReadableFile.contents(of: folder.file("identity"), limit: 10) == Array("two".utf8))
        #expect(folder.contents() == ["identity"])
        var facts = stat()
        stat(folder.file("identity"), &facts)
        #expect(facts.st_mode & 0o777 == 0o600)
        #expect(throws: SystemError.self) { try ReadableFile.contents(of: folder.file("identity"), limit: 2) }
    }

    @Test(
        "a small file that does not get whole leaves nothing, and the old one as it is",
        .enabled(if: SmallDisk.canMount, "mounting takes root"))
    func partialWrite() throws {
        let disk = try SmallDisk(at: folder.file("disk"), megabytes: 1)
        let directory = try Directory(path: folder.file("disk"))
        try writeAtomically(Array("old".utf8), to: "small", in: directory)
        try disk.leave(8192)
        let error = #expect(throws: SystemError.self) {
            try writeAtomically([UInt8](repeating: 1, count: 50_000), to: "small", in: directory)
        }
        #expect(error?.kind == .noRoom)
        #expect(try directory.names(limit: 10).sorted() == ["filler", "small"])
        #expect(try ReadableFile.contents(of: folder.file("disk/small"), limit: 10) == Array("old".utf8))
    }

    @Test("what comes out of a shell's pipe is a file's contents, as far as the limit allows")
    func pipe() throws {
        let text = [UInt8](repeating: 0x41, count: 10_000)
        for limit in [text.count, text.count - 1] {
            var ends: [Int32] = [0, 0]
            try #require(Glibc.pipe(&ends) == 0)
            defer { close(ends[0]) }
            #expect(write(ends[1], text, text.count) == text.count)
            close(ends[1])
            let path = "/dev/fd/\(ends[0])"
            if limit == text.count {
                #expect(try ReadableFile.contents(of: path, limit: limit) == text)
            } else {
                #expect(throws: SystemError.self) { try ReadableFile.contents(of: path, limit: limit) }
            }
        }
    }

    @Test("a file size limit is an error that says what to do, not the end of the process")
    func sizeLimit() async throws {
        // In a process of its own: other tests write files at the same time.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let file = try StagedFile(in: Directory(path: folder.path), partialName: ".a.part")
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            limit.rlim_cur = 1000
            signal(SIGXFSZ, SIG_IGN)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let bytes = [UInt8](repeating: 1, count: 5000)
            let problem = #expect(throws: SystemError.self) {
                try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            }
            try #require(problem?.kind == .tooLarge)
            try #require(problem?.description.contains("ulimit -f") == true)
        }
    }

    @Test("a file that shrank while it was read is an error that names it")
    func shrunk() throws {
        try folder.write([UInt8](repeating: 1, count: 100), to: "photo")
        let file = try ReadableFile(path: folder.file("photo"))
        truncate(folder.file("photo"), 10)
        var memory = [UInt8](repeating: 0, count: 100)
        let error = #expect(throws: SystemError.self) {
            try memory.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        }
        #expect(error?.subject == folder.file("photo"))
    }

    @Test("a temporary file has no name and keeps what it is given")
    func temporary() throws {
        let file = try TemporaryFile()
        let first = try file.append([1, 2, 3])
        let second = try file.append([4, 5])
        var memory = [UInt8](repeating: 0, count: 2)
        try memory.withUnsafeMutableBytes { try file.read(into: $0, at: second) }
        #expect(first == 0 && memory == [4, 5])
    }
}

@Suite struct AddressTests {
    @Test("what an operator may type for a camera")
    func hostPorts() throws {
        let table: [(String, String, UInt16)] = [
            ("192.168.1.1", "192.168.1.1", 15740), ("192.168.1.1:15777", "192.168.1.1", 15777),
            ("camera.local:1", "camera.local", 1), ("[fe80::1]:80", "fe80::1", 80), ("[::1]", "::1", 15740),
            ("fe80::1", "fe80::1", 15740), ("h:0", "h", 0),
        ]
        for (text, host, port) in table {
            #expect(try HostPort(text, defaultPort: 15740) == HostPort(host: host, port: port), "\(text)")
        }
    }

    @Test(
        "what names no host says why",
        arguments: [
            "", ":80", "host:", "host:70000", "host:-1", "host:8x", "[::1", "[::1]x", "ho st", "a/b",
        ])
    func unreadableHostPorts(text: String) {
        let error = #expect(throws: HostPort.Unreadable.self) { try HostPort(text, defaultPort: 15740) }
        #expect(error?.description.contains("Write HOST") == true)
    }

    @Test("numeric addresses are read and printed as people write them")
    func endpoints() throws {
        #expect(try #require(IPEndpoint(numeric: "10.0.0.7", port: 80)).description == "10.0.0.7:80")
        #expect(try #require(IPEndpoint(numeric: "fe80::1", port: 80)).description == "[fe80::1]:80")
        #expect(IPEndpoint(numeric: "camera", port: 80) == nil)
        #expect(IPEndpoint.loopback(port: 5).address == [127, 0, 0, 1])
    }
}
