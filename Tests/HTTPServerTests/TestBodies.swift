import HTTPServer
import Posix
import Synchronization
import TestSupport

/// Keeps what it is given, in memory, and what became of it.
final class KeepingSink: BodySink {
    enum End: Equatable, Sendable {
        case finished
        case abandoned
    }

    struct Full: Error {}

    private let bytes = Mutex<[UInt8]>([])
    private let ends = Mailbox<End>()
    private let room: Int
    private let gate: Gate?

    init(room: Int = .max, gate: Gate? = nil) {
        self.room = room
        self.gate = gate
    }

    var kept: [UInt8] { bytes.withLock { $0 } }

    /// Waits for it.
    func end() async -> [End] { await ends.next() ?? [] }

    func write(_ piece: UnsafeRawBufferPointer) throws {
        try bytes.withLock { bytes in
            guard bytes.count + piece.count <= room else { throw Full() }
            bytes.append(contentsOf: piece)
        }
    }

    func finish() async -> Response {
        await gate?.pass()
        ends.post(.finished)
        return .text(201, "\(kept.count) bytes")
    }

    func abandon() { ends.post(.abandoned) }
}

/// Gives pieces until the last, then ends or fails.
final class PieceSource: BodySource {
    struct Broken: Error {}

    private struct State {
        var left: Int
        var given: UInt8 = 0
    }

    private let state: Mutex<State>
    private let pieceSize: Int
    private let fails: Bool
    private let closings = Mailbox<Int>()

    init(pieces: Int, of pieceSize: Int = 64 << 10, fails: Bool = false) {
        state = Mutex(State(left: pieces))
        self.pieceSize = pieceSize
        self.fails = fails
    }

    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        let filler = state.withLock { state -> UInt8? in
            guard state.left > 0 else { return nil }
            state.left -= 1
            state.given &+= 1
            return state.given
        }
        guard let filler else {
            if fails { throw Broken() }
            return 0
        }
        let count = min(pieceSize, memory.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[..<count]).initializeMemory(
            as: UInt8.self, repeating: filler)
        return count
    }

    var piecesLeft: Int { state.withLock(\.left) }

    func close() { closings.post(piecesLeft) }

    /// Waits until it was closed, and says how many pieces were not read.
    func closed() async -> [Int] { await closings.next() ?? [] }
}
