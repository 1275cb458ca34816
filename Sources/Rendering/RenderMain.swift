import Digest
import Glibc
import Imaging
import Posix

/// The life of a renderer: a photo on each line, until the program that started it closes the socket that is this
/// process' standard output.
///
/// It is a process of its own because decoders meet bytes from strangers here: what those bytes do to a decoder ends
/// this process, and one photo.
package func renderMain() -> Int32 {
    let limits = RenderLimits()
    limits.hold()
    guard let requests = fdopen(STDOUT_FILENO, "r") else { return EX_OSERR }
    while let line = nextLine(of: requests) {
        limits.holdProcessor()
        guard writeAll(answer(to: line) + "\n", to: STDOUT_FILENO) else { return EX_OK }
    }
    return EX_OK
}

private func nextLine(of stream: UnsafeMutablePointer<FILE>) -> String? {
    var bytes: [UInt8] = []
    while true {
        let byte = getc(stream)
        if byte == EOF { return nil }
        if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
}

private func answer(to line: String) -> String {
    do {
        let job = try RenderWire.job(line)
        let facts = try Picture.render(
            file: job.file, declaredType: job.declaredType, renditions: job.renditions)
        let file = try ReadableFile(path: job.file)
        return RenderWire.line(facts, sha256: "\(try file.sha256())", size: file.size)
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
