import Posix

/// The clients of a stream writer, on its thread.
final class StreamTable {
    private typealias Connections = [Int32: StreamConnection]

    private let set: DescriptorSet
    private let comingBack: ComingBack
    private var all: Connections = [:]
    private var byFeed: [ObjectIdentifier: Connections] = [:]
    /// One group for each second of a heartbeat, so that they are not all written to at once.
    private var byTurn = [Connections](repeating: [:], count: StreamTable.turns)
    /// The second that was looked at last.
    private var lastTurn: Int64?
    /// For all of them: what is on its way to a client is kept in its feed only.
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    private static let turns = Int(Watch.heartbeat.components.seconds)

    init(_ set: DescriptorSet, _ comingBack: ComingBack) {
        self.set = set
        self.comingBack = comingBack
    }

    deinit {
        memory.deallocate()
    }

    // MARK: Clients

    func add(_ connection: StreamConnection) {
        let descriptor = connection.socket.number
        do throws(SystemError) {
            try set.add(descriptor)
        } catch {
            // The kernel has no memory for it. Its client comes back.
            connection.end(by: memory)
            return
        }
        all[descriptor] = connection
        byFeed[ObjectIdentifier(connection.stream.feed), default: [:]][descriptor] = connection
        byTurn[Int(descriptor) % Self.turns][descriptor] = connection
        send(to: connection)
    }

    private func remove(_ connection: StreamConnection) {
        let descriptor = connection.socket.number
        let feed = ObjectIdentifier(connection.stream.feed)
        all[descriptor] = nil
        byFeed[feed]?[descriptor] = nil
        if byFeed[feed]?.isEmpty ?? false { byFeed[feed] = nil }
        byTurn[Int(descriptor) % Self.turns][descriptor] = nil
        connection.end(by: memory)
    }

    func take(_ event: DescriptorSet.Event) {
        // One that ended in this turn may have had something to tell.
        guard let connection = all[event.descriptor] else { return }
        if event.isOver { remove(connection) } else if event.hasRoom { send(to: connection) }
    }

    // MARK: Sending

    func send(newsIn feed: ObjectIdentifier) {
        guard let connections = byFeed[feed] else { return }
        for connection in connections.values { send(to: connection) }
    }

    private func send(to connection: StreamConnection) {
        switch connection.send(by: memory) {
        case .upToDate: waitForRoom(connection, false)
        case .full: waitForRoom(connection, true)
        case .over: remove(connection)
        }
    }

    private func waitForRoom(_ connection: StreamConnection, _ waits: Bool) {
        guard connection.waitsForRoom != waits else { return }
        do throws(SystemError) {
            try set.waitForRoom(at: connection.socket.number, waits)
            connection.waitsForRoom = waits
        } catch {
            remove(connection)
        }
    }

    /// Each client is written to once in the time of a heartbeat, whatever else it has been told.
    func beat(at now: Duration) {
        let turn = now.components.seconds
        let last = lastTurn ?? turn
        lastTurn = turn
        guard turn > last else { return }
        let level = ComingBack.level(of: all.count)
        for turn in max(last, turn - Int64(Self.turns)) + 1...turn {
            for connection in byTurn[Int(turn % Int64(Self.turns))].values {
                let isNew = connection.pauseLevel != level
                let text = isNew ? comingBack.line(among: all.count) : EventStream.comment
                guard connection.stream.say(text) else { continue }
                connection.pauseLevel = level
                send(to: connection)
            }
        }
    }

    // MARK: The end

    func endAll() {
        for connection in all.values {
            connection.stream.end()
            send(to: connection)
        }
    }

    func cutAll() {
        for connection in all.values { remove(connection) }
    }
}
