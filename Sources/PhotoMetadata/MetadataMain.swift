import Digest
import Posix

/// The life of a worker, a photo on each line.
///
/// It is a process of its own because a library meets what strangers wrote into a photo here: what that does to it ends
/// this process, and one caption.
package func metadataMain() -> Int32 {
    workerMain { line in
        do {
            return MetadataWire.line(try made(try MetadataWire.job(line)))
        } catch let problem as MetadataProblem {
            return MetadataWire.line(problem)
        } catch let problem as JPEGParts.Problem {
            return MetadataWire.line(MetadataProblem(problem.sentence))
        } catch let failure as Exiv2.Failure {
            return MetadataWire.line(MetadataProblem("exiv2: \(failure)"))
        } catch {
            return MetadataWire.line(MetadataProblem("its caption cannot be written: \(error)", .passing))
        }
    }
}

/// A copy in memory has room for more; see `WorkerLimits`.
private let largestPhoto: UInt64 = 60 << 20

private func made(_ job: MetadataJob) throws -> MadeFile {
    let bytes =
        switch job.form {
        case .copy: try copy(of: job)
        case .sidecar: try Exiv2.sidecar(job.entries)
        }
    let folder = try Directory(path: job.folder)
    let file = try StagedFile(in: folder, partialName: job.partialName, mode: 0o600)
    try file.truncate(to: 0)
    try bytes.withUnsafeBytes { memory in try file.write(memory, at: 0) }
    let parts = job.photo.split(separator: "/")
    let place = try Directory(path: "/" + parts.dropLast().joined(separator: "/"))
    if let name = parts.last, let date = try place.facts(of: String(name))?.modified {
        try file.setModified(date)
    }
    // One that an earlier try has made and did not tell of is made of the same.
    if try folder.facts(of: job.name) != nil { try folder.remove(job.name) }
    guard try file.publish(as: job.name) == .published else {
        throw MetadataProblem("another program writes into \(job.folder)", .passing)
    }
    return MadeFile(size: UInt64(bytes.count), sha256: "\(SHA256.of(bytes))")
}

/// The photo as it is, but for what is said about it.
private func copy(of job: MetadataJob) throws -> [UInt8] {
    let file = try ReadableFile(path: job.photo)
    guard file.size <= largestPhoto else {
        throw MetadataProblem("it is larger than \(largestPhoto >> 20) MiB")
    }
    let bytes = try file.read(0..<file.size)
    guard "\(SHA256.of(bytes))" == job.sha256 else {
        throw MetadataProblem("its file in the spool is not what the camera sent any more")
    }
    let parts = try JPEGParts(bytes)
    return try parts.with(
        packet: try Exiv2.packet(job.entries, over: parts.packet),
        photoshop: try Exiv2.resources(job.entries, over: parts.photoshop))
}

extension JPEGParts.Problem {
    var sentence: String {
        switch self {
        case .noJPEG: "it is no JPEG, whatever its name says"
        case .damaged: "its segments are damaged"
        case .tooLong: "with what it says already there is more than a JPEG has room for"
        case .cannotMove: "what it says about itself stands among its further images, and cannot grow there"
        }
    }
}
