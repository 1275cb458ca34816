package import Captions
package import Posix

/// One copy or sidecar to be made. Paths begin at the root: a worker has a folder of its own.
package struct MetadataJob: Equatable, Sendable {
    package enum Form: String, Sendable {
        /// A JPEG with what is said about it inside.
        case copy
        /// A file of its own beside a photo that is not written to.
        case sidecar
    }

    package let form: Form
    package let photo: String
    /// What the photo's bytes have to be, in lower-case hexadecimal: a damaged one is not copied.
    package let sha256: String
    package let entries: [MetadataEntry]
    /// The folder that it appears in, whole and synced, and its name there.
    package let folder: String
    package let name: String

    package init(
        _ form: Form, of photo: String, sha256: String, _ entries: [MetadataEntry], in folder: String,
        as name: String
    ) {
        precondition(photo.hasPrefix("/") && folder.hasPrefix("/"), "a worker's paths begin at the root")
        self.form = form
        self.photo = photo
        self.sha256 = sha256
        self.entries = entries
        self.folder = folder
        self.name = name
    }

    /// What it is called while it is no whole file.
    var partialName: String { "\(name).part" }
}

/// What was made.
package struct MadeFile: Equatable, Sendable {
    package let size: UInt64
    /// In lower-case hexadecimal.
    package let sha256: String

    package init(size: UInt64, sha256: String) {
        self.size = size
        self.sha256 = sha256
    }
}

/// Why nothing was made, as a sentence without its end.
package struct MetadataProblem: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Kind: String, Sendable {
        /// The photo's own: trying again would change nothing.
        case photo
        /// The same photo may do better another time.
        case passing
        /// Nothing is known: all of it is being stopped.
        case stopped
    }

    package let description: String
    package let kind: Kind

    package init(_ description: String, _ kind: Kind = .photo) {
        self.description = description
        self.kind = kind
    }
}

extension MetadataJob: WorkerJob {
    package static var longestAnswer: Int { MetadataWire.longestLine }

    package var line: String { MetadataWire.line(self) }

    package func answer(_ line: String) throws -> Result<MadeFile, MetadataProblem> {
        try MetadataWire.answer(line)
    }

    package func removeLeftovers() {
        do throws(SystemError) {
            let folder = try Directory(path: folder)
            if try folder.facts(of: partialName) != nil { try folder.remove(partialName) }
        } catch {
            // It is written over when the photo is tried again, and taken away when its job has ended.
            return
        }
    }

    package static func problem(_ trouble: WorkerTrouble) -> MetadataProblem {
        switch trouble {
        case .late(let limit): MetadataProblem("writing its caption took longer than \(limit)", .passing)
        case .tooMuchProcessor(let seconds):
            MetadataProblem("writing its caption took more than \(seconds) s of processor time", .passing)
        case .killed: MetadataProblem("the process that wrote its caption was killed", .passing)
        case .signal(let number):
            MetadataProblem("exiv2 was ended by signal \(number) while it worked on this file")
        case .exit(let code):
            MetadataProblem("the process that writes captions ended with code \(code)", .passing)
        case .hangs: MetadataProblem("exiv2 hangs in the system while it works on this file")
        case .stopped: MetadataProblem("writing captions is being stopped", .stopped)
        case .nonsense: MetadataProblem("the process that writes captions answered what makes no sense")
        case .cannotStart(let reason):
            MetadataProblem("the process that writes captions could not be started: \(reason)", .passing)
        }
    }
}
