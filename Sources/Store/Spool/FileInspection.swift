package import Basics
package import Bridge

/// A file all of whose bytes have come, looked at before it gets its name.
package enum FileInspection: Equatable, Sendable {
    /// Nothing speaks against it but what is known and accepted.
    case fine(doubts: Set<PhotoDoubt>)
    case refused(ShelfFinish)

    package var doubts: Set<PhotoDoubt> {
        if case .fine(let doubts) = self { doubts } else { [] }
    }

    package init(of file: any DiskFile, _ order: FinishOrder) throws(DiskError) {
        let found = try file.size()
        guard found == order.size else {
            self = .refused(.wrongLength(found: found))
            return
        }
        var doubts = order.accepts.intersection([.size])
        let identity = order.offer.identity
        let beginning = try file.read(MagicBytes.length, at: 0)
        if let reason = MagicBytes.contradiction(beginning, format: identity.format, name: identity.name) {
            guard order.accepts.contains(.beginning) else {
                self = .refused(.foreignBeginning(reason))
                return
            }
            doubts.insert(.beginning)
        }
        if order.checksStructure {
            let verdict = try FileStructure.verdict(length: found) { (offset, count) throws(DiskError) in
                try file.read(count, at: offset)
            }
            if case .cutShort(let reason) = verdict {
                guard order.accepts.contains(.structure) else {
                    self = .refused(.cutShort(reason))
                    return
                }
                doubts.insert(.structure)
            }
        }
        self = .fine(doubts: doubts)
    }
}

extension FileInspection {
    /// What speaks against a file that got its name just before an end without its row being told. `claimed` is the size
    /// that the camera named, where it named one.
    static func doubts(
        of file: any DiskFile, claimed: UInt64?, format: UInt16, name: String
    ) throws(DiskError) -> Set<PhotoDoubt> {
        let length = try file.size()
        var doubts: Set<PhotoDoubt> = []
        let beginning = try file.read(MagicBytes.length, at: 0)
        if MagicBytes.contradiction(beginning, format: format, name: name) != nil {
            doubts.insert(.beginning)
        }
        if claimed == length { return doubts }
        if claimed != nil { doubts.insert(.size) }
        let verdict = try FileStructure.verdict(length: length) { (offset, count) throws(DiskError) in
            try file.read(count, at: offset)
        }
        if case .cutShort = verdict { doubts.insert(.structure) }
        return doubts
    }
}
