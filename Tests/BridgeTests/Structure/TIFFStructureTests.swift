import Bridge
import TestSupport
import Testing

@Suite struct TIFFStructureTests {
    typealias Entry = TIFFDraft.Entry
    let draft = TIFFDraft()

    /// One directory behind the head, then so many bytes of data.
    func file(_ entries: [Entry], next: Int = 0, data: Int = 100, _ draft: TIFFDraft? = nil) -> [UInt8] {
        let draft = draft ?? self.draft
        let head = draft.head(draft.headLength)
        return head + draft.directory(at: draft.headLength, entries, next: next)
            + [UInt8](repeating: 0x5A, count: data)
    }

    @Test("strips, tiles and embedded JPEGs have to lie in the file")
    func data() {
        let length = file([Entry(0x0111, 4, [0]), Entry(0x0117, 4, [0])]).count
        for (name, offsets, counts) in [
            ("strip", 0x111, 0x117), ("tile", 0x144, 0x145), ("embedded JPEG", 0x201, 0x202),
        ] {
            func verdict(_ offset: Int, _ count: Int) -> StructureVerdict {
                judge(file([Entry(offsets, 4, [offset]), Entry(counts, 4, [count])]))
            }
            #expect(verdict(length - 100, 100) == .whole)
            #expect(
                verdict(length - 100, 101).reason
                    == "its \(name) at byte \(length - 100) reaches to byte \(length + 1), and it has \(length)"
            )
            #expect(verdict(length + 1, 1).isCutShort)
            #expect(verdict(0xFFFF_FFFF, 0xFFFF_FFFF).isCutShort)
            // Behind what is accounted for there is something else, not padding.
            #expect(verdict(length - 100, 60) == .unknown)
        }
    }

    @Test("where nothing says how much there is, it is not known whether it is all there")
    func noCounts() {
        #expect(judge(file([Entry(0x0111, 4, [60])])) == .unknown)
        #expect(judge(file([Entry(0x0111, 4, [60, 70]), Entry(0x0117, 4, [10])])) == .unknown)
        #expect(judge(file([Entry(0x0111, 2, [60]), Entry(0x0117, 4, [10])])) == .unknown)
    }

    @Test("directories that point at each other are looked at once")
    func cycles() {
        let entry = [Entry(0x0100, 3, [1])]
        #expect(judge(file(entry, next: 8, data: 0)) == .whole)
        #expect(judge(file([Entry(0x014A, 4, [8])], next: 8, data: 0)) == .whole)
        let first = draft.directory(at: 8, entry, next: 26)
        #expect(judge(draft.head(8) + first + draft.directory(at: 26, entry, next: 8)) == .whole)
    }

    @Test("more directories, entries or strips than there is a limit for are not known, and cost no more")
    func limits() {
        let entry = [Entry(0x0100, 3, [1])]
        let limit = FileStructure.Limit.directories
        func chain(_ count: Int) -> [UInt8] {
            draft.head(8)
                + (0..<count).flatMap { index in
                    draft.directory(at: 8 + index * 18, entry, next: index + 1 < count ? 26 + index * 18 : 0)
                }
        }
        #expect(judge(chain(limit - 1)) == .whole)
        #expect(judge(chain(limit + 1)) == .unknown)
        let entries = (1...FileStructure.Limit.directoryEntries + 1).map { Entry($0 + 0x9000, 3, [1]) }
        #expect(judge(file(entries, data: 0)) == .unknown)
        #expect(judge(file(Array(entries.dropLast()), data: 0)) == .whole)
        // Of many strips the last are looked at.
        let strips = FileStructure.Limit.strips * 2
        let place = file(
            [
                Entry(0x0111, 4, Array(repeating: 0, count: strips)),
                Entry(0x0117, 3, Array(repeating: 0, count: strips)),
            ], data: 0
        ).count
        let offsets = (0..<strips).map { place + $0 }
        let many = file(
            [Entry(0x0111, 4, offsets), Entry(0x0117, 3, Array(repeating: 1, count: strips))], data: strips)
        #expect(judge(many) == .whole)
        #expect(judge(Array(many.dropLast())).isCutShort)
        // Each page's list is within its limit, all of them are more than is read.
        let list = Array(repeating: 8, count: FileStructure.Limit.strips)
        let page = [Entry(0x0111, 4, list), Entry(0x0117, 4, list.map { _ in 1 })]
        let length = draft.directory(at: 8, page, next: 0).count
        func pages(_ count: Int) -> [UInt8] {
            draft.head(8)
                + (1...count).flatMap { number in
                    let place = 8 + (number - 1) * length
                    return draft.directory(at: place, page, next: number < count ? place + length : 0)
                }
        }
        #expect(judge(pages(3)) == .whole)
        #expect(judge(pages(20)) == .unknown)
    }

    @Test("counts and offsets beyond every file end in a verdict")
    func hostile() {
        for has64Bits in [false, true] {
            for isBigEndian in [false, true] {
                let draft = TIFFDraft(isBigEndian: isBigEndian, has64Bits: has64Bits)
                let far = has64Bits ? -1 : 0xFFFF_FFFF
                let type = has64Bits ? 16 : 4
                #expect(judge(draft.head(far) + [UInt8](repeating: 0, count: 100)).isCutShort)
                #expect(judge(file([Entry(0x0100, 3, [1])], next: far, draft)).isCutShort)
                #expect(judge(file([Entry(0x014A, type, [far])], draft)).isCutShort)
                #expect(
                    judge(file([Entry(0x0111, type, [far]), Entry(0x0117, type, [far])], draft)).isCutShort)
                // A list of so many offsets.
                var counted = file([Entry(0x0111, type, [1, 2, 3]), Entry(0x0117, type, [1, 2, 3])], draft)
                let count = draft.headLength + (has64Bits ? 8 : 2) + 4
                counted.replaceSubrange(count..<count + draft.pointer, with: draft.number(far, draft.pointer))
                #expect(judge(counted) != .whole)
            }
        }
    }

    @Test("a pointer to a directory that is none, as old Sony raw files have it, contradicts nothing")
    func noDirectory() {
        let strips = [Entry(0x0111, 4, [100]), Entry(0x0117, 4, [10])]
        let bytes = file([Entry(0x014A, 4, [90])] + strips)
        #expect(judge(bytes) == .unknown)
        var zeros = bytes
        zeros.replaceSubrange(90..<bytes.count, with: [UInt8](repeating: 0, count: bytes.count - 90))
        #expect(judge(zeros) == .unknown)
    }

    @Test(
        "values outside the file contradict it where a picture needs them",
        arguments: [0x0102, 0x010F, 0x9286])
    func values(tag: Int) {
        let bytes = file([Entry(tag, 2, Array(repeating: 65, count: 10))], data: 0)
        #expect(judge(bytes) == .whole)
        let cut = judge(Array(bytes.dropLast()))
        #expect(tag < 0x8000 ? cut.isCutShort : cut == .unknown)
    }

    @Test("an RW2's own tags: where the raw picture begins is known, and rarely how long it is")
    func panasonic() {
        let draft = TIFFDraft(magic: "U\0")
        let length = file([Entry(0x0111, 4, [0]), Entry(0x0117, 4, [0]), Entry(0x0118, 4, [0])], draft).count
        func rw2(_ strip: Int, _ count: Int, _ raw: Int) -> StructureVerdict {
            judge(
                file([Entry(0x0111, 4, [strip]), Entry(0x0117, 4, [count]), Entry(0x0118, 4, [raw])], draft))
        }
        #expect(rw2(0xFFFF_FFFF, 100, length - 100) == .whole)
        #expect(rw2(0xFFFF_FFFF, 90, length - 100) == .unknown)
        #expect(rw2(0xFFFF_FFFF, 0xFFFF_FFFF, length - 100) == .unknown)
        #expect(rw2(0xFFFF_FFFF, 100, length).isCutShort)
        // The first cameras with such files had strips as the standard has them.
        #expect(
            judge(file([Entry(0x0111, 4, [length - 100 - 12]), Entry(0x0117, 4, [100])], draft)) == .whole)
    }
}
