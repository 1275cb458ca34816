/// The initiator with a driver that does what the real one does, and a camera and a network that do anything.
func fuzzInitiator(_ input: inout FuzzInput) {
    var driver = InitiatorDriver(input.byte())
    driver.feed(.start)
    while !input.isEmpty, !driver.isOver {
        let choice = input.byte()
        switch choice % 10 {
        case 0: driver.settle(.command, LinkFate(input.byte()))
        case 1: driver.settle(.event, LinkFate(input.byte()))
        case 2, 3: driver.receive(input.take(Int(input.byte())), .command)
        case 4: driver.receive(input.take(Int(input.byte())), .event)
        case 5: driver.pass(.milliseconds(Int(input.byte()) * 100))
        case 6: driver.call(input.byte())
        case 7: driver.feed(choice < 200 ? .cancelCall : .cancelCallAtEnd)
        case 8:
            let which = input.byte()
            driver.lose(which % 2 == 0 ? .command : .event, unread: input.take(Int(which >> 4)))
        default: driver.feed(input.byte() % 8 == 0 ? .close : .consumerBusy)
        }
    }
    // Whatever happened, time alone brings it to an end.
    driver.feed(.close)
    for _ in 0..<64 where !driver.isOver { driver.passToDeadline() }
    precondition(driver.isOver, "stuck in \(driver.machine.state)")
}

/// What becomes of a link that is to be opened.
private enum LinkFate {
    case opens
    case isRefused
    case isLost

    init(_ byte: UInt8) {
        self = byte % 4 != 0 ? .opens : byte % 8 == 0 ? .isRefused : .isLost
    }
}

private struct InitiatorDriver {
    var machine: Initiator
    var now: Duration = .zero
    var isOver = false
    var wanted: Set<Channel> = []
    var open: Set<Channel> = []
    var decoders: [Channel: PacketDecoder] = [:]

    init(_ settings: UInt8) {
        var peculiarities = Peculiarities()
        peculiarities.opensSession = settings & 1 == 0
        peculiarities.probesAfterHandshake = settings & 2 != 0
        peculiarities.probeInterval = settings & 4 != 0 ? .seconds(5) : nil
        machine = Initiator(
            identity: InitCommandRequest(guid: .zero, name: "fuzz"), peculiarities: peculiarities)
    }

    mutating func feed(_ happening: Initiator.Happening) {
        for action in machine.handle(happening, at: now) {
            switch action {
            case .openLink(let channel): wanted.insert(channel)
            case .closeLinks:
                isOver = true
                open = []
                wanted = []
            case .send(let packet, _): precondition(!packet.encoded.isEmpty)
            default: break
            }
        }
        if let deadline = machine.nextDeadline {
            precondition(!isOver, "a deadline of \(deadline) after the end")
        }
    }

    mutating func settle(_ channel: Channel, _ fate: LinkFate) {
        guard wanted.remove(channel) != nil else { return }
        switch fate {
        case .opens:
            open.insert(channel)
            decoders[channel] = PacketDecoder()
            feed(.linkOpened(channel))
        case .isRefused: feed(.linkRefused(channel, port: 15740, reason: "fuzz"))
        case .isLost: feed(.linkLost(channel, reason: "fuzz"))
        }
    }

    mutating func lose(_ channel: Channel, unread: [UInt8]) {
        guard open.remove(channel) != nil else { return }
        feed(.linkLost(channel, reason: "fuzz", unread: unread))
    }

    mutating func receive(_ bytes: [UInt8], _ channel: Channel) {
        guard open.contains(channel) else { return }
        decoders[channel]?.append(bytes)
        do throws(Malformed) {
            while !isOver, open.contains(channel), let output = try decoders[channel]?.next() {
                switch output {
                case .packet(let packet): feed(.received(packet, channel))
                case .odd(let packet): feed(.odd(packet, channel))
                case .payload(let bytes):
                    switch machine.payloadDestination {
                    case .collect: feed(.collected(Array(bytes)))
                    case .stream, .discard: feed(.payloadMoved(bytes.count))
                    }
                }
            }
        } catch {
            feed(.malformed(error, channel))
        }
    }

    mutating func call(_ kind: UInt8) {
        guard machine.isReadyForCall else { return }
        switch kind % 4 {
        case 0: feed(.call(Call(.getDeviceInfo, data: .incoming(limit: 100))))
        case 1: feed(.call(Call(.getObject, [1], data: .streamed(limit: 1000))))
        case 2: feed(.call(Call(.setDevicePropValue, [1], data: .outgoing([1, 2, 3]))))
        default: feed(.call(Call(.deleteObject, [1])))
        }
    }

    mutating func pass(_ duration: Duration) {
        now += duration
        if let deadline = machine.nextDeadline, deadline <= now { feed(.timePassed) }
    }

    mutating func passToDeadline() {
        // Links that are being opened have their own limits.
        for channel in wanted { settle(channel, .isLost) }
        if !isOver { pass((machine.nextDeadline ?? now) - now + .milliseconds(1)) }
    }
}

/// The responder with a driver that does what the real one does, and clients that do anything.
func fuzzResponder(_ input: inout FuzzInput) {
    var driver = ResponderDriver(input.byte())
    while !input.isEmpty {
        let link = Int(input.byte() % 6)
        switch input.byte() % 8 {
        case 0: driver.accept()
        case 1, 2, 3: driver.receive(input.take(Int(input.byte())), link)
        case 4: driver.pass(.milliseconds(Int(input.byte()) * 100))
        case 5: driver.answer(input.byte())
        case 6: driver.feed(.notice(EventPacket(code: .objectAdded, parameters: [1])))
        default: driver.lose(link)
        }
    }
}

private struct ResponderDriver {
    var machine: Responder
    var now: Duration = .zero
    var nextLink = 0
    var open: [Int: PacketDecoder] = [:]
    var asked: [Int] = []
    var isPerforming = false
    var isSending = false
    var isStopping = false

    init(_ settings: UInt8) {
        var responder = Responder.Settings(
            identity: InitCommandAck(connectionNumber: 1, guid: .zero, name: "fuzz"))
        responder.countsTransactions = settings & 1 != 0
        responder.probeInterval = settings & 2 != 0 ? .seconds(3) : nil
        responder.idleLimit = settings & 4 != 0 ? .seconds(20) : nil
        responder.operationsWithOutgoingData = [.setDevicePropValue]
        responder.maximumLinks = 4
        machine = Responder(settings: responder)
    }

    mutating func feed(_ happening: Responder.Happening) {
        for action in machine.handle(happening, at: now) {
            switch action {
            case .askForAdmission(_, let link): asked.append(link)
            case .perform: isPerforming = true
            case .sendData: isSending = true
            case .stopData: isStopping = true
            case .closeLink(let link, _): open[link] = nil
            case .disconnected:
                isPerforming = false
                isSending = false
                isStopping = false
            case .send(let packet, _): precondition(!packet.encoded.isEmpty)
            default: break
            }
        }
        precondition(open.count <= 8, "links without a limit")
    }

    mutating func accept() {
        guard open.count < 6 else { return }
        nextLink += 1
        open[nextLink] = PacketDecoder()
        feed(.accepted(nextLink))
    }

    /// One of the links that stand.
    private func standing(_ number: Int) -> Int? {
        let links = open.keys.sorted()
        return links.isEmpty ? nil : links[number % links.count]
    }

    mutating func lose(_ number: Int) {
        guard let link = standing(number) else { return }
        open[link] = nil
        feed(.linkLost(link))
    }

    mutating func receive(_ bytes: [UInt8], _ number: Int) {
        guard let link = standing(number) else { return }
        open[link]?.append(bytes)
        do throws(Malformed) {
            while let output = try open[link]?.next() {
                switch output {
                case .packet(let packet): feed(.received(packet, link))
                case .odd(let packet): precondition(!packet.refusal.description.isEmpty)
                case .payload(let bytes): feed(.collected(Array(bytes), link))
                }
            }
        } catch {
            feed(.malformed(error, link))
        }
    }

    mutating func answer(_ kind: UInt8) {
        if let link = asked.popLast() { return feed(kind % 4 == 0 ? .refuse(link, .busy) : .admit(link)) }
        if isSending {
            isSending = false
            defer { isStopping = false }
            return feed(isStopping ? .dataStopped : .dataSent)
        }
        guard isPerforming else { return }
        isPerforming = false
        let data: [Responder.DataSource] = [.none, .bytes([1, 2, 3]), .stream(length: 1 << 33)]
        feed(.answered(Responder.Answer(.ok, [1], data: data[Int(kind) % 3])))
    }

    mutating func pass(_ duration: Duration) {
        now += duration
        if let deadline = machine.nextDeadline, deadline <= now { feed(.timePassed) }
    }
}
