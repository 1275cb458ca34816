import Glibc
import TestSupport
import Testing

/// The program that serves a folder, and where its gallery is to go.
struct MoveProgramGround {
    let program: GalleryProgram
    let store: SeaweedFS
    let database: PostgresServer.Database
    let bucket: String
    let folder: TemporaryFolder

    init() throws {
        program = try GalleryProgram()
        store = try SeaweedFS.shared.get()
        bucket = try store.makeBucket()
        database = try PostgresServer.shared.get().freshDatabase()
        folder = try TemporaryFolder()
    }

    var url: String { database.server.url(database.name) }

    func run(_ words: [String]) throws -> Tool.Output {
        try #require(Tool(Built.gallery)).run(words, environment: store.environment)
    }

    func move(_ more: [String] = []) throws -> Tool.Output {
        try run(
            ["move", "--from", program.data, "--to", url, "--storage", "s3://\(bucket)/weddings"] + more)
    }

    /// A node of the new gallery, and its port.
    func serve() throws -> (node: Daemon, port: UInt16) {
        let file = folder.file("port")
        let node = try Daemon(
            Built.gallery,
            [
                "serve", "--listen", "127.0.0.1:0", "--database", url, "--storage",
                "s3://\(bucket)/weddings", "--data", folder.file("node"), "--port-file", file,
                "--workers", "1",
            ], environment: store.environment, isLeashed: true)
        try node.wait(for: "everything in")
        while access(file, R_OK) != 0 { sched_yield() }
        let text = String(decoding: try readFile(file), as: UTF8.self)
        return (node, try #require(UInt16(text.filter(\.isNumber))))
    }

    /// Another for each number.
    func photo(_ number: Int) throws -> [UInt8] {
        let path = folder.file("\(number).jpg")
        let made = try #require(Tool("convert")).run(
            ["-size", "900x600", "-seed", "\(number)", "plasma:", "-quality", "90", path])
        try #require(made.code == 0, "\(made.errors)")
        return try readFile(path)
    }
}
