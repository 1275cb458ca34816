import Digest
import Imaging
import Posix

/// The life of a renderer, a photo on each line.
///
/// It is a process of its own because decoders meet bytes from strangers here: what those bytes do to a decoder ends
/// this process, and one photo.
package func renderMain() -> Int32 {
    Program.keepsBuffers()
    return workerMain(resting: Program.givesBackMemory, answering: answer)
}

private func answer(to line: String) -> String {
    do {
        let job = try RenderWire.job(line)
        var limits = PictureLimits()
        if let longest = job.longestSide { limits.side = longest }
        let facts = try Picture.render(
            file: job.file, declaredType: job.declaredType, renditions: job.renditions, limits: limits)
        let file = try ReadableFile(path: job.file)
        let renditions = try job.renditions.map { try ReadableFile(path: $0.path).crc32() }
        return RenderWire.line(facts, try file.checksums(), size: file.size, renditionCRCs: renditions)
    } catch let refusal as PictureRefusal {
        return RenderWire.line(RenderProblem(refusal))
    } catch {
        return RenderWire.line(
            RenderProblem(.storage, "the photo could not be read or its renditions written: \(error)"))
    }
}

extension RenderProblem {
    init(_ refusal: PictureRefusal) {
        let code: Code =
            switch refusal.code {
            case .notAnImage: .notAnImage
            case .typeMismatch: .typeMismatch
            case .truncated: .truncated
            case .tooLarge: .tooLarge
            case .unsupported: .unsupported
            }
        self.init(code, refusal.description)
    }
}
