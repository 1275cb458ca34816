import PTP
import TestSupport

/// One direction of one link in simulated time: bytes in order, cut into pieces at random, each delivered
/// some time later, and lost or cut off when the plan says so.
struct Pipe {
    enum End: Hashable {
        case initiator
        case responder
    }

    let channel: Channel
    let to: End
    /// How many bytes get through before the pipe goes silent without an error.
    var silentAfter = Int.max
    private(set) var carried = 0
    private var lastDelivery: Duration = .zero
    var decoder = PacketDecoder()

    init(_ channel: Channel, to end: End) {
        self.channel = channel
        to = end
    }

    /// The pieces that will arrive, and when.
    mutating func send(
        _ bytes: [UInt8], at now: Duration, _ random: inout Seeded
    ) -> [(at: Duration, bytes: [UInt8])] {
        let passing = bytes.prefix(max(0, silentAfter - carried))
        carried += bytes.count
        var rest = passing
        var pieces: [(at: Duration, bytes: [UInt8])] = []
        while !rest.isEmpty {
            let count = random.chance(60) ? rest.count : Int.random(in: 1...rest.count, using: &random)
            lastDelivery = max(lastDelivery, now + .microseconds(Int.random(in: 20...40_000, using: &random)))
            pieces.append((lastDelivery, Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

/// What will happen, in order of time; what was planned first comes first at the same time.
struct Agenda<Happening> {
    private var heap: [(at: Duration, order: Int, happening: Happening)] = []
    private var planned = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func plan(_ happening: Happening, at time: Duration) {
        heap.append((time, planned, happening))
        planned += 1
        var child = heap.count - 1
        while child > 0, comesBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    var nextTime: Duration? { heap.first?.at }

    mutating func next() -> Happening? {
        guard !heap.isEmpty else { return nil }
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { comesBefore($0, $1) }), comesBefore(least, parent) else {
                break
            }
            heap.swapAt(parent, least)
            parent = least
        }
        return first.happening
    }

    private func comesBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].at, heap[left].order) < (heap[right].at, heap[right].order)
    }
}
