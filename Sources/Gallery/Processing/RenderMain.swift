import Digest
import Glibc
import Imaging
import Posix

/// A renderer: takes a photo on each line, until nobody asks any more. What it is asked on is its standard output, a
/// socket of the gallery's.
///
/// It is a process of its own because decoders meet bytes from anybody here: whatever those make of it ends this
/// process, and one photo.
package func renderMain() -> Int32 {
    let limits = RenderLimits()
    limits.hold()
    guard let gallery = fdopen(STDOUT_FILENO, "r") else { return EX_OSERR }
    while let line = nextLine(of: gallery) {
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
            file: job.file, declaredType: job.declaredType, thumb: job.thumb, screen: job.screen)
        let (hash, size) = try hash(of: job.file)
        return RenderWire.line(facts, sha256: "\(hash)", size: size)
    } catch let refusal as PictureRefusal {
        return RenderWire.line(RenderProblem(refusal))
    } catch {
        return RenderWire.line(
            RenderProblem(.storage, "the photo could not be read or its renditions written: \(error)"))
    }
}

private func hash(of path: String) throws -> (hash: SHA256Digest, size: UInt64) {
    let file = try ReadableFile(path: path)
    let hash = SHA256()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { memory.deallocate() }
    var done: UInt64 = 0
    while done < file.size {
        let piece = UnsafeMutableRawBufferPointer(
            rebasing: memory.prefix(Int(min(file.size - done, UInt64(memory.count)))))
        try file.read(into: piece, at: done)
        hash.update(UnsafeRawBufferPointer(piece))
        done += UInt64(piece.count)
    }
    return (hash.finish(), file.size)
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
