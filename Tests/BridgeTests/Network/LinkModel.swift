import Bridge
import TestSupport

/// A link in figures: what it carries in all, what one connection can at best, and how rough it is.
struct ModelLink: Sendable {
    /// Bytes a second.
    var capacity: Double
    /// Of one connection; on a link that loses packets c/√p of it, however much room there is.
    var each: Double
    /// Of a connection's share from one tenth of a second to the next, in hundredths.
    var noise = 15
    /// Before the first byte of a file, and behind the last.
    var latency = Duration.milliseconds(40)

    static let clean = ModelLink(capacity: 4_800_000, each: 40_000_000, latency: .milliseconds(20))
    static let bbr = ModelLink(capacity: 4_300_000, each: 4_000_000, latency: .milliseconds(50))
    static let lossyCubic = ModelLink(capacity: 4_750_000, each: 780_000)
    static let farLossyCubic = ModelLink(capacity: 4_750_000, each: 188_000, latency: .milliseconds(100))
}

/// Uploads over a model link, a hundredth of a second at a time.
struct ModelUpload {
    private struct Flow {
        var left: Double
        var quietUntil: Double
        var factor = 1.0
        var isSent = false
    }

    var link: ModelLink
    private var waiting: Int
    private let fileSize: Double
    private var flows: [Flow] = []
    private var random: Seeded
    private(set) var now = 0.0
    private(set) var sent = 0.0
    private var unreported = 0.0
    private static let step = 0.01
    /// What is handed over at a time, as curl does.
    private static let lump = 65_536.0

    init(_ link: ModelLink, files: Int, of fileSize: Int, seed: UInt64) {
        self.link = link
        waiting = files
        self.fileSize = Double(fileSize)
        random = Seeded(seed)
    }

    var isDone: Bool { waiting == 0 && flows.isEmpty }
    var underWay: Int { flows.count }

    /// One step. Gives the bytes that have been noticed to leave, twenty times a second.
    mutating func advance(slots: Int) -> UInt64? {
        let latency = link.latency / .seconds(1)
        while waiting > 0, flows.count < slots {
            waiting -= 1
            flows.append(Flow(left: fileSize, quietUntil: now + latency))
        }
        now += Self.step
        let tick = Int((now / Self.step).rounded())
        if tick % 10 == 0 {
            for index in flows.indices {
                let spread = Double(link.noise) / 100
                flows[index].factor = 1 + Double.random(in: -spread...spread, using: &random) * 1.7
            }
        }
        let active = flows.indices.filter { now >= flows[$0].quietUntil && !flows[$0].isSent }
        let wanted = active.map { link.each * flows[$0].factor }
        let share = min(1, link.capacity / max(1, wanted.reduce(0, +)))
        for (index, rate) in zip(active, wanted) {
            let bytes = min(flows[index].left, rate * share * Self.step)
            flows[index].left -= bytes
            sent += bytes
            unreported += bytes
            if flows[index].left <= 0 {
                flows[index].isSent = true
                flows[index].quietUntil = now + latency
            }
        }
        flows.removeAll { $0.isSent && now >= $0.quietUntil }
        guard tick % 5 == 0 else { return nil }
        let lumps = isDone ? unreported : (unreported / Self.lump).rounded(.down) * Self.lump
        unreported -= lumps
        return UInt64(lumps)
    }

    /// Seconds with so many slots throughout.
    static func seconds(
        _ link: ModelLink, files: Int, of size: Int, slots: Int, seed: UInt64
    ) -> Double {
        var upload = ModelUpload(link, files: files, of: size, seed: seed)
        while !upload.isDone { _ = upload.advance(slots: slots) }
        return upload.now
    }

    /// Seconds with as many as are found to be worth it, and how many that were in the end.
    static func adaptive(
        _ link: ModelLink, files: Int, of size: Int, ceiling: Int, seed: UInt64
    ) -> (seconds: Double, slots: Int) {
        var upload = ModelUpload(link, files: files, of: size, seed: seed)
        var slots = AdaptiveSlots(ceiling: ceiling)
        while !upload.isDone { upload.advance(&slots) }
        return (upload.now, slots.slots)
    }

    mutating func advance(_ slots: inout AdaptiveSlots) {
        let begun = min(slots.slots, underWay + waiting)
        if let bytes = advance(slots: slots.slots) {
            slots.moved(bytes, underWay: max(begun, underWay), at: .seconds(now))
        }
    }
}
