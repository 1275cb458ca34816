import Glibc
import Imaging
import Rendering

/// Reads the files of photos whose times an older version wrote down, one at a time and while nothing else is to be done.
///
/// A renderer reads them, because they are other people's bytes; what it draws meanwhile is thrown away.
struct OldTimes: Sendable {
    let store: StorePool
    let storage: any ObjectStorage
    let renderer: any Renderer
    let log: @Sendable (String) -> Void

    func read(_ photo: OldPhoto) async {
        do {
            let file = try await file(of: photo)
            if let why = file.problem {
                log("the time of photo \(photo.id) stays as an older version wrote it down: \(why)")
            }
            try await store { try $0.reread(photo, as: file.facts?.exif) }
        } catch let problem as RenderProblem where problem.code == .stopped {
            return
        } catch {
            log("the time of photo \(photo.id) is looked for again at the next start: \(error)")
        }
    }

    private struct File {
        var facts: RenderedPhoto?
        /// Why there is nothing to be known of it, now and later.
        var problem: String?
    }

    private func file(of photo: OldPhoto) async throws -> File {
        // A renderer makes one at least.
        let path = "\(storage.workshop)/\(photo.id).1.jpg"
        defer {
            if unlink(path) != 0 && errno != ENOENT {
                log("\(path) is of no use, and cannot be removed; it may be removed by hand")
            }
        }
        do {
            return try await storage.withFile(photo.original) { file in
                let job = RenderJob(
                    file: file, declaredType: photo.contentType,
                    renditions: [RenditionRequest(path: path, edge: RenderJob.thumbEdge)])
                return File(facts: try await renderer.render(job))
            }
        } catch let problem as RenderProblem where !problem.isCurable {
            return File(problem: problem.description)
        } catch let problem as StorageProblem where problem.meaning == .missing {
            return File(problem: problem.description)
        }
    }
}

/// A photo whose time an older version wrote down, without what it follows from.
struct OldPhoto: Equatable, Sendable {
    let id: String
    let event: String
    let sequence: Int64
    let original: String
    let contentType: String
}
