import Basics
import Posix
import TestSupport
import Testing

@testable import Gallery

/// The real program with its photos in a real bucket.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"),
    .enabled(if: Tool.isThere("convert") && Tool.isThere("curl") && Tool.isThere("unzip")))
struct BucketTests {
    struct Ground {
        let program: GalleryProgram
        let bucket: String
        let folder: TemporaryFolder
        let photos: [[UInt8]]
        private let store: SeaweedFS

        /// Three photos, put into the bucket by curl as any client would.
        init() throws {
            store = try SeaweedFS.shared.get()
            bucket = try store.makeBucket()
            folder = try TemporaryFolder()
            program = try GalleryProgram(
                ["--storage", "s3://\(bucket)/weddings"], environment: store.environment)
            var photos: [[UInt8]] = []
            for number in 1...3 {
                let path = folder.file("DSC_\(number).JPG")
                let size = "\(600 + 100 * number)x600"
                let made = try #require(Tool("convert")).run(
                    ["-size", size, "-seed", "\(number)", "plasma:", "-quality", "90", path])
                #expect(made.code == 0, "\(made.errors)")
                photos.append(try readFile(path))
                try Self.upload(path, photos[number - 1].count, to: program)
            }
            self.photos = photos
        }

        private static func upload(_ path: String, _ count: Int, to program: GalleryProgram) throws {
            let name = path.split(separator: "/").last ?? ""
            let place = try program.ask(
                "POST", "/uploads/presign",
                #"{"eventId":"\#(program.event)","contentType":"image/jpeg","contentLength":\#(count),"filename":"\#(name)"}"#
            )
            let headers = (place["requiredHeaders"]?.members ?? []).flatMap {
                ["-H", "\($0.key): \($0.value.string ?? "")"]
            }
            let url = try #require(place["putUrl"]?.string, "\(place.text)")
            let said = try #require(Tool("curl")).run(
                ["-s", "-g", "-T", path, "-o", "/dev/null", "-w", "%{http_code}"] + headers + [url])
            #expect(said.text == "200", "\(said.errors)")
            let end = try program.ending(of: try #require(place["uploadId"]?.string))
            #expect(end["status"] == "completed", "\(end)")
        }

        func check(_ options: [String]) throws -> Tool.Output {
            try program.run(["check"] + program.rows + options)
        }

        func check() throws -> Tool.Output { try program.check() }

        /// By the link of the host's page. Says curl's exit code.
        func download() throws -> String {
            let link = try program.ask("POST", "/events/\(program.event)/zip-link")
            let url = try #require(link["url"]?.string, "\(link.text)")
            let said = try #require(Tool("curl")).run(
                ["-s", "-o", folder.file("all.zip"), "-w", "%{http_code} %{exitcode}", url])
            return said.text
        }

        /// By the store's own door.
        func change(_ key: String, _ arguments: [String]) throws {
            try store.curl(arguments + ["\(store.filer)/buckets/\(bucket)/weddings/\(key)"])
        }

        func key(_ name: String) throws -> (photo: String, key: String) {
            let list = try program.ask("GET", "/events/\(program.event)/photos")
            let photo = try #require(list["photos"]?.array?.first { $0["filename"]?.string == name })
            return (try #require(photo["id"]?.string), try #require(photo["originalKey"]?.string))
        }
    }

    @Test("all originals of a bucket come as one ZIP, and rows and objects are held against each other")
    func wholeAndHarmed() async throws { try await aside { try archiveAndCheck() } }

    private func archiveAndCheck() throws {
        let ground = try Ground()
        let unzip = try #require(Tool("unzip"))
        let path = ground.folder.file("all.zip")
        #expect(try ground.download() == "200 0")
        let test = try unzip.run(["-t", path])
        #expect(test.code == 0 && test.text.contains("No errors detected"), "\(test.text) \(test.errors)")
        for (index, bytes) in ground.photos.enumerated() {
            #expect(try unzip.run(["-p", path, "DSC_\(index + 1).JPG"]).output == bytes)
        }
        let good = try ground.check()
        #expect(good.code == 0, "\(good.text) \(good.errors)")
        #expect(good.text.contains("3 photos, 12 objects, 0 of them not referred to (yet), 0 problems"))
        try harm(ground)
        // What the ZIP ends with, or without, depends on which photo comes first.
        #expect(try ground.download() == "200 18", "the connection is cut")
        #expect(try unzip.run(["-t", path]).code != 0)
        try ground.program.hear("ZIP of 'Wedding' was cut", and: "DSC_")
    }

    private func harm(_ ground: Ground) throws {
        let (gone, short) = (try ground.key("DSC_1.JPG"), try ground.key("DSC_2.JPG"))
        try ground.change(gone.key, ["-X", "DELETE"])
        try ground.folder.write(Array(ground.photos[1].dropLast(5)), to: "short")
        try ground.change(short.key, ["-F", "file=@\(ground.folder.file("short"))"])
        let stray = "00000000000000000000000000000000"
        try ground.change(stray, ["-F", "file=@\(ground.folder.file("short"))"])
        try ground.change(
            "read me.txt".replacing(" ", with: "%20"), ["-F", "file=@\(ground.folder.file("short"))"])
        let said = try ground.check()
        #expect(said.code == 1, "\(said.text) \(said.errors)")
        let size = ground.photos[1].count
        for line in [
            "photo \(gone.photo): its object \(gone.key) is missing",
            "photo \(short.photo): its object \(short.key) has \(size - 5) bytes instead of \(size)",
            "object \(stray) belongs to nothing",
            "3 photos, 12 objects, 1 of them not referred to (yet), 3 problems",
        ] { #expect(said.text.contains(line), "\(line): \(said.text)") }
    }

    @Test("a gallery whose bucket is not there says so before it is relied on")
    func missing() async throws {
        try await aside {
            let store = try SeaweedFS.shared.get()
            let program = try GalleryProgram(
                ["--storage", "s3://nobodys-bucket/weddings"], environment: store.environment)
            let ready = try program.ask("GET", "/ready")
            #expect(ready.status == 503 && ready.text.contains("NoSuchBucket"), "\(ready)")
        }
    }

    @Test("a check of the wrong storage says which to give, and makes nothing there")
    func elsewhere() async throws { try await aside { try lookElsewhere() } }

    private func lookElsewhere() throws {
        let ground = try Ground()
        let folder = try ground.check([])
        #expect(
            folder.code == 64 && folder.errors.contains("--storage s3://"), "\(folder.text) \(folder.errors)")
        #expect(Tool.isThere("\(ground.program.data)/objects") == false)
        let prefix = try ground.check(["--storage", "s3://\(ground.bucket)/other"])
        #expect(prefix.code == 1 && prefix.text.contains("say the --storage"), "\(prefix.text)")
        let bucket = try ground.check(["--storage", "s3://nobodys-bucket"])
        #expect(
            bucket.code == 74 && bucket.errors.contains("NoSuchBucket"), "\(bucket.text) \(bucket.errors)")
        let nonsense = try ground.check(["--storage", "ftp://x"])
        #expect(nonsense.code == 64, "\(nonsense.errors)")
    }
}
