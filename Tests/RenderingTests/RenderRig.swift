import Imaging
import Posix
import Rendering
import TestSupport

/// A pool, and files for it.
final class RenderRig: Sendable {
    let folder: TemporaryFolder
    let pool: RenderPool
    private let reactor: Reactor
    private let running: Task<Void, Never>

    /// A program that is its own renderer, as it was built beside these tests.
    static var gallery: String? {
        Directory.absolute(".build/release/gallery").flatMap { Tool.isThere($0) ? $0 : nil }
    }

    init(program: String, count: Int = 1, wall: Duration = .seconds(60)) throws {
        folder = try TemporaryFolder()
        let reactor = try Reactor(name: "render test")
        var limits = WorkerLimits()
        limits.wall = wall
        let pool = RenderPool(program: program, count: count, limits: limits, on: reactor)
        self.pool = pool
        self.reactor = reactor
        running = Task { await pool.run() }
    }

    /// A renderer that is a shell script: it is asked on its standard output.
    convenience init(script: String, count: Int = 1, wall: Duration = .seconds(60)) throws {
        let scripts = try TemporaryFolder()
        try scripts.writeProgram("#!/bin/sh\n\(script)\n", to: "renderer")
        try self.init(program: scripts.file("renderer"), count: count, wall: wall)
        kept.change { $0.append(scripts) }
    }

    private let kept = Shared<[TemporaryFolder]>([])

    func job(_ name: String = "photo.jpg", type: String = "image/jpeg") -> RenderJob {
        RenderJob(
            file: folder.file(name), declaredType: type,
            renditions: [
                RenditionRequest(path: folder.file("\(name).small"), edge: 400),
                RenditionRequest(path: folder.file("\(name).large"), edge: 2048, isProgressive: true),
            ])
    }

    func render(_ job: RenderJob) async -> Result<RenderedPhoto, RenderProblem> {
        do throws(RenderProblem) {
            return .success(try await pool.render(job))
        } catch {
            return .failure(error)
        }
    }

    /// Returns when every renderer is gone.
    func stop() async {
        running.cancel()
        await running.value
        reactor.shutDown()
    }
}

extension Result where Failure == RenderProblem {
    var code: RenderProblem.Code? {
        guard case .failure(let problem) = self else { return nil }
        return problem.code
    }
}
