/// An ICC profile as a JPEG carries it: in pieces that are numbered from 1, each of which says how many there are
/// (ICC.1:2010, annex B.4). They need not come in order.
struct ProfilePieces {
    private var pieces: [UInt8: UnsafeRawBufferPointer] = [:]
    private var count: UInt8?
    private var problem: String?

    /// A profile for print has a few hundred KiB.
    static let most = 4 << 20
    private static let signature = Array("ICC_PROFILE\0".utf8)

    /// What an APP2 segment holds, which need not be of a profile.
    mutating func take(_ content: UnsafeRawBufferPointer) {
        let header = Self.signature.count + 2
        guard content.starts(with: Self.signature), content.count >= header else { return }
        let (number, count) = (content[header - 2], content[header - 1])
        let piece = UnsafeRawBufferPointer(rebasing: content.dropFirst(header))
        guard number > 0, number <= count, self.count ?? count == count else {
            problem = "its pieces are numbered wrongly"
            return
        }
        self.count = count
        if let other = pieces[number], !other.elementsEqual(piece) {
            problem = "a piece of it comes twice, and differs"
        }
        pieces[number] = piece
    }

    /// Nothing where there is none.
    var claim: ColourClaim? {
        guard count != nil || problem != nil else { return nil }
        if let problem { return damaged(problem) }
        guard let count, pieces.count == count else { return damaged("a piece of it is missing") }
        let size = pieces.values.reduce(0) { $0 + $1.count }
        guard size <= Self.most else { return damaged("it has \(size) bytes") }
        return .profile(pieces.sorted { $0.key < $1.key }.flatMap { Array($0.value) })
    }

    private func damaged(_ reason: String) -> ColourClaim {
        .damaged("the colour profile in the file cannot be used: \(reason)")
    }
}
