import Basics
import Link
import Posix
import TestSupport
import Testing

/// The kinds of link that have to behave alike.
enum LinkKind: String, CaseIterable, Sendable {
    case tcp
    case tcp6
    case memory
    /// A faulty link on which nothing goes wrong.
    case faultless
    /// A faulty link that moves a few bytes at a time.
    case fragmented

    /// Two ends that are connected. The reactor carries the TCP ones.
    func pair(_ reactor: Reactor) async throws -> (any ByteLink, any ByteLink) {
        switch self {
        case .memory:
            return MemoryLink.pair()
        case .faultless:
            let (left, right) = MemoryLink.pair()
            return (
                FaultyLink(left, FaultPlan(), time: reactor), FaultyLink(right, FaultPlan(), time: reactor)
            )
        case .fragmented:
            var plan = FaultPlan()
            plan.sending.longestMove = 1009
            plan.receiving.longestMove = 733
            let (left, right) = MemoryLink.pair()
            return (FaultyLink(left, plan, time: reactor), FaultyLink(right, plan, time: reactor))
        case .tcp, .tcp6:
            let host = self == .tcp ? "127.0.0.1" : "::1"
            guard let any = IPEndpoint(numeric: host, port: 0) else { throw LinkError.closedHere }
            let listener = try TCPListener(on: any, reactor: reactor)
            let target = HostPort(host: host, port: listener.localEndpoint.port)
            async let accepted = listener.accept()
            let connected = try await TCPLink.connect(to: target, reactor: reactor)
            return (connected, try await accepted)
        }
    }
}

/// Receives until there are `count` bytes or the end.
func receive(_ count: Int, from link: any ByteLink) async throws -> [UInt8] {
    let buffer = Buffer(capacity: 64 << 10)
    var bytes: [UInt8] = []
    while bytes.count < count {
        let got = try await link.receive(
            into: buffer, 0..<min(buffer.capacity, count - bytes.count), spill: nil)
        if got == 0 { break }
        bytes += buffer.bytes(0..<got)
    }
    return bytes
}

@Suite struct LinkConformanceTests {
    let reactor: Reactor

    init() throws {
        reactor = try Reactor(name: "test")
    }

    @Test("bytes arrive in order, both ways at once, in any sizes", arguments: LinkKind.allCases)
    func order(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        var random = Seeded(7)
        let size = kind == .fragmented ? 1 << 20 : 8 << 20
        let there = random.bytes(size)
        let back = random.bytes(size / 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sendInPieces(there, over: left, seed: 1) }
            group.addTask { try await sendInPieces(back, over: right, seed: 2) }
            group.addTask {
                let got = try await receive(there.count, from: right)
                #expect(got == there)
            }
            group.addTask {
                let got = try await receive(back.count, from: left)
                #expect(got == back)
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "what does not fit into the range goes into the spill, and nothing is lost",
        arguments: LinkKind.allCases)
    func spill(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        let sent = Seeded(3).sequence(10_000)
        try await left.send(sent)
        left.close(.orderly)
        let buffer = Buffer(capacity: 100)
        let spill = Buffer(capacity: 16)
        var got: [UInt8] = []
        while true {
            let count = try await right.receive(into: buffer, 10..<70, spill: spill)
            if count == 0 { break }
            #expect(count <= 60 + 16)
            got += buffer.bytes(10..<10 + min(count, 60))
            if count > 60 { got += spill.bytes(0..<count - 60) }
        }
        #expect(got == sent)
    }

    @Test("an orderly end lets what was sent arrive, and then says so", arguments: LinkKind.allCases)
    func orderlyEnd(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        try await left.send([1, 2, 3])
        left.close(.orderly)
        #expect(try await receive(10, from: right) == [1, 2, 3])
        #expect(try await right.receive(into: Buffer(capacity: 8)) == 0)
    }

    @Test("a task that waits sees a reset as one", arguments: LinkKind.allCases)
    func reset(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        left.close(.reset)
        let error = await #expect(throws: LinkError.self) {
            try await right.receive(into: Buffer(capacity: 8))
        }
        guard case .reset = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("closing ends a wait on this side at once", arguments: LinkKind.allCases)
    func closeWhileWaiting(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        async let waiting = Result { try await left.receive(into: Buffer(capacity: 8)) }
        // The byte goes the other way: when it has arrived, so has the task that waits, or it will find out.
        try await left.send([1])
        _ = try await receive(1, from: right)
        left.close(.orderly)
        let result = await waiting
        #expect(throws: LinkError.closedHere) { try result.get() }
        await #expect(throws: LinkError.closedHere) { try await left.send([1]) }
    }

    @Test("cancelling ends a wait, and only that", arguments: LinkKind.allCases)
    func cancelWhileWaiting(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        let task = Task { try await left.receive(into: Buffer(capacity: 8)) }
        task.cancel()
        await #expect(throws: LinkError.cancelled) { try await task.value }
        try await right.send([9])
        #expect(try await receive(1, from: left) == [9])
    }

    @Test("a sender waits for a reader that is slow, and loses nothing", arguments: LinkKind.allCases)
    func backpressure(kind: LinkKind) async throws {
        let (left, right) = try await kind.pair(reactor)
        let sent = Seeded(5).sequence(kind == .fragmented ? 300_000 : 6 << 20)
        let sender = Task { try await left.send(sent) }
        var got: [UInt8] = []
        let buffer = Buffer(capacity: 4096)
        while got.count < sent.count {
            got += buffer.bytes(0..<(try await right.receive(into: buffer)))
        }
        try await sender.value
        #expect(got == sent)
    }
}

private func sendInPieces(_ bytes: [UInt8], over link: any ByteLink, seed: UInt64) async throws {
    var random = Seeded(seed)
    var rest = bytes[...]
    let buffer = Buffer(capacity: 100_000)
    while !rest.isEmpty {
        let first = Int.random(in: 1...min(rest.count, 100_000), using: &random)
        buffer.memory.copyBytes(from: rest.prefix(first))
        let second = rest.dropFirst(first).prefix(Int.random(in: 0...5000, using: &random))
        try await link.send([.buffer(buffer, 0..<first), .bytes(Array(second)), .bytes([])])
        rest = rest.dropFirst(first + second.count)
    }
}

extension Seeded {
    func sequence(_ count: Int) -> [UInt8] {
        var copy = self
        return copy.bytes(count)
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
