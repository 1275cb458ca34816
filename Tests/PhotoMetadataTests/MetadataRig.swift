import Bridge
import Captions
import Digest
import PhotoMetadata
import Posix
import TestSupport
import Testing

/// A pool, and photos for it.
final class MetadataRig: Sendable {
    let folder: TemporaryFolder
    private let pool: MetadataPool
    private let reactor: Reactor
    private let running: Task<Void, Never>

    init(program: String = Built.tetherline, wall: Duration = .seconds(60)) throws {
        folder = try TemporaryFolder()
        let reactor = try Reactor(name: "metadata test")
        var limits = WorkerLimits()
        limits.wall = wall
        let pool = MetadataPool(program: program, limits: limits, on: reactor)
        self.pool = pool
        self.reactor = reactor
        running = Task { await pool.run() }
    }

    /// Of a picture that ImageMagick draws, as an exiftool command line may have changed it.
    func photo(_ name: String, size: String = "64x48", exiftool: [String] = []) throws -> String {
        let drawn = try #require(Tool("convert")).run(
            ["-size", size, "plasma:fractal", "-quality", "85", "jpg:\(folder.file(name))"])
        #expect(drawn.code == 0, "\(drawn.errors)")
        guard !exiftool.isEmpty else { return folder.file(name) }
        let changed = try #require(Tool("exiftool")).run(
            exiftool + ["-q", "-overwrite_original", folder.file(name)])
        #expect(changed.code == 0, "\(changed.errors)")
        return folder.file(name)
    }

    func make(
        _ photo: String, _ entries: [MetadataEntry], _ form: MetadataJob.Form = .copy, as name: String,
        sha256: String? = nil
    ) async throws -> Result<MadeFile, MetadataProblem> {
        let sha256 = try sha256 ?? "\(SHA256.of(readFile(photo)))"
        let job = MetadataJob(form, of: photo, sha256: sha256, entries, in: folder.path, as: name)
        do throws(MetadataProblem) {
            return .success(try await pool.make(job))
        } catch {
            return .failure(error)
        }
    }

    func stop() async {
        running.cancel()
        await running.value
        reactor.shutDown()
    }

    /// What exiftool reads, a value for each name; lists are joined.
    func exiftool(_ name: String, _ tags: [String]) throws -> [String] {
        let said = try #require(Tool("exiftool")).run(
            ["-charset", "iptc=UTF8", "-s3", "-sep", " | ", "-f"] + tags.map { "-\($0)" } + [
                folder.file(name)
            ])
        #expect(said.code == 0, "\(said.errors)")
        return said.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    static let judges = ["exiftool", "exiv2", "convert", "sha256sum"]
    static var hasJudges: Bool { judges.allSatisfy { Tool.isThere($0) } }
}
