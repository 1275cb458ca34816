import Bridge
import TestSupport
import Testing

@Suite struct MediaStructureTests {
    typealias Files = StructureFiles

    @Test(
        "a QuickTime film may begin with any of its boxes",
        arguments: ["moov", "mdat", "wide", "free", "skip", "pnot", "uuid"])
    func quickTime(first: String) {
        let film = Files.box(first, "0123456789") + Files.box("moov", "m") + Files.box("mdat", "data")
        #expect(judge(film) == .whole)
        #expect(judge(Array(film.dropLast())).isCutShort)
    }

    @Test("a box that goes on to the end says nothing about where that is")
    func endless() {
        let film = Files.box("ftyp", "isom") + Files.box("moov", "m") + Files.big(0, 4) + Array("mdat".utf8)
        #expect(judge(film + [1, 2, 3]) == .unknown)
    }

    @Test("sizes that no box can have, and more boxes than there is a limit for")
    func strangeBoxes() {
        let start = Files.box("ftyp", "isom") + Files.box("moov", "m") + Files.box("mdat", "data")
        for size in 2...7 { #expect(judge(start + Files.big(size, 4) + Array("free".utf8)) == .unknown) }
        let long = Files.big(1, 4) + Array("mdat".utf8)
        #expect(judge(start + long + Files.big(15, 8)) == .unknown)
        #expect(judge(start + long + Files.big(-1, 8)).reason?.contains("beyond any file") == true)
        #expect(judge(start + long + Files.big(1 << 40, 8)).isCutShort)
        let many = (0..<FileStructure.Limit.boxes).flatMap { _ in Files.box("free") }
        #expect(judge(start + many) == .unknown)
        #expect(judge(start + many.dropLast(64)) == .whole)
    }

    @Test("what is appended to a whole film, and only looks like a box, contradicts nothing")
    func appended() {
        let film = Files.box("ftyp", "isom") + Files.box("moov", "m") + Files.box("mdat", "data")
        #expect(judge(film + Array("Here is a maker's own trailer".utf8)) == .unknown)
        #expect(judge(film + Files.big(1000, 4) + Array("mdat".utf8)).isCutShort)
        #expect(judge(Files.box("ftyp", "isom") + Files.big(1000, 4) + Array("xyzt".utf8)).isCutShort)
    }

    @Test("a film without its data is cut; pieces of a stream, and a picture inside its index, are not known")
    func pieces() {
        #expect(
            judge(Files.box("ftyp", "iso5") + Files.box("moof", "m") + Files.box("mdat", "d")) == .unknown)
        #expect(judge(Files.box("ftyp", "mif1") + Files.box("meta", "m")) == .unknown)
        #expect(judge(Files.box("ftyp", "qt  ") + Files.box("moov", "m")).isCutShort)
    }

    @Test("an AVI of several RIFFs, and odd sizes")
    func openDML() {
        let film = Files.riff("AVI ", 300) + Files.riff("AVIX", 200) + Files.riff("AVIX", 100)
        #expect(judge(film) == .whole)
        #expect(judge(Array(film.dropLast())).isCutShort)
        #expect(judge(Array(film.dropLast(100))).isCutShort)
        #expect(judge(Files.riff("AVI ", 301) + [0]) == .whole)
        #expect(judge(Files.riff("AVI ", 301) + [0] + Files.riff("AVIX", 200)) == .whole)
    }

    @Test("a recording that was never finished, and a writer that counts the head, are not known")
    func unfinished() {
        let data = [UInt8](repeating: 7, count: 50)
        for size in [0, 0xFFFF_FFFF, 62] {
            let film = Array("RIFF".utf8) + Files.little(size, 4) + Array("AVI ".utf8) + data
            #expect(judge(film) == .unknown)
        }
        #expect(judge(Array("RIFF".utf8) + Files.little(63, 4) + Array("AVI ".utf8) + data).isCutShort)
    }

    @Test("a chain of chunks that breaks, and more of them than there is a limit for")
    func strangeChunks() {
        let start = Files.pngSignature + Files.chunk("IHDR", 13)
        #expect(judge(start + [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]) == .unknown)
        #expect(judge(start + Files.big(0xFFFF_FFFF, 4) + Array("IDAT".utf8)).isCutShort)
        let many = (0..<FileStructure.Limit.chunks).flatMap { _ in Files.chunk("IDAT", 0) }
        #expect(judge(start + many + Files.chunk("IEND", 0)) == .unknown)
        #expect(judge(start + many.dropLast(24) + Files.chunk("IEND", 0)) == .whole)
    }

    @Test("each part of an RAF has to lie in it", arguments: [84, 92, 100])
    func raf(place: Int) {
        for (offset, count) in [(0xFFFF_FFFF, 0xFFFF_FFFF), (229, 0), (0, 229), (220, 9)] {
            var file = Files.raf
            file.replaceSubrange(place..<place + 8, with: Files.big(offset, 4) + Files.big(count, 4))
            #expect(judge(file).isCutShort, "\(offset) \(count)")
        }
    }
}
