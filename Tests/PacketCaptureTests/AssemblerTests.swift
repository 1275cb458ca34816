import PacketCapture
import TestSupport
import Testing

@Suite struct AssemblerTests {
    func joined(_ pieces: [StreamAssembler.Piece]) -> [UInt8] {
        pieces.flatMap { piece in
            if case .bytes(let bytes) = piece { Array(bytes) } else { [UInt8]() }
        }
    }

    @Test("however the network cut, doubled, overlapped and swapped it, the stream is the same")
    func everyOrder() {
        for seed in Cases.seeds(full: 3000) {
            var random = Seeded(seed)
            let stream = random.bytes(Int.random(in: 1...5000, using: &random))
            // Numbers that wrap in the middle, for some seeds.
            let first = random.chance(50) ? UInt32.max - UInt32.random(in: 0...5000, using: &random) : 77
            var segments: [(UInt32, ArraySlice<UInt8>)] = []
            var position = 0
            while position < stream.count {
                let back = random.chance(20) ? Int.random(in: 0...min(position, 400), using: &random) : 0
                let count = min(stream.count - position + back, Int.random(in: 1...600, using: &random))
                let start = position - back
                segments.append((first &+ 1 &+ UInt32(start), stream[start..<start + count]))
                if random.chance(10), let again = segments.randomElement(using: &random) {
                    segments.append(again)
                }
                position = max(position, start + count)
            }
            // Swaps within a window, as networks do it.
            for index in segments.indices where random.chance(40) {
                segments.swapAt(index, min(segments.count - 1, index + Int.random(in: 0...8, using: &random)))
            }
            var assembler = StreamAssembler()
            assembler.began(with: first)
            var pieces: [StreamAssembler.Piece] = []
            for (sequence, bytes) in segments { pieces += assembler.add(sequence, bytes, leftOut: 0) }
            pieces += assembler.flush()
            #expect(joined(pieces) == stream, "seed \(seed)")
        }
    }

    @Test("a lost segment is a gap of its length")
    func lost() {
        var assembler = StreamAssembler()
        assembler.began(with: 99)
        #expect(assembler.add(100, [1, 2], leftOut: 0) == [.bytes([1, 2])])
        #expect(assembler.add(105, [6], leftOut: 0).isEmpty)
        #expect(assembler.flush() == [.gap(3, isLost: true), .bytes([6])])
    }

    @Test("what the capture left out is a gap, and not lost")
    func leftOut() {
        var assembler = StreamAssembler()
        assembler.began(with: 99)
        #expect(assembler.add(100, [1], leftOut: 9) == [.bytes([1]), .gap(9, isLost: false)])
        #expect(assembler.add(110, [2], leftOut: 0) == [.bytes([2])])
    }

    @Test("a capture that begins in the middle begins with what it saw first")
    func middle() {
        var assembler = StreamAssembler()
        #expect(assembler.add(5000, [1], leftOut: 0) == [.bytes([1])])
        #expect(assembler.add(4000, [9], leftOut: 0).isEmpty)
        #expect(assembler.add(5001, [2], leftOut: 0) == [.bytes([2])])
    }

    @Test("waiting for a lost segment has an end")
    func bounded() {
        var assembler = StreamAssembler()
        assembler.began(with: 0)
        let block = [UInt8](repeating: 7, count: 1 << 20)[...]
        var gaps: [StreamAssembler.Piece] = []
        var next: UInt32 = 1001
        for _ in 0..<70 where gaps.isEmpty {
            gaps = assembler.add(next, block, leftOut: 0).filter { if case .gap = $0 { true } else { false } }
            next &+= UInt32(block.count)
        }
        #expect(gaps == [.gap(1000, isLost: true)])
    }
}
