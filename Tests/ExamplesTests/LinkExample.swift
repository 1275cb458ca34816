// example
import Link
import Posix

/// Two ends in memory, one of which breaks after so many bytes: a bad network for a test of yours.
func receivedBeforeTheCut(of bytes: [UInt8], after count: Int) async throws -> Int {
    let (near, far) = MemoryLink.pair()
    var plan = FaultPlan()
    plan.receiving.faults = [(after: count, fault: .end)]
    let broken = FaultyLink(far, plan, time: try Reactor(name: "test"))
    try await near.send(bytes)
    return try await broken.receive(into: Buffer(capacity: 1 << 16))
}
// end
