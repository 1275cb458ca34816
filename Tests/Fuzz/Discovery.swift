/// What any host of a network may send and call a camera's: messages of mDNS and SSDP, descriptions, and what is
/// made of many of them.
func fuzzDiscovery(_ input: inout FuzzInput) {
    switch input.byte() % 4 {
    case 0: _ = readDNS(input.all())
    case 1: _ = readSSDP(input.all())
    case 2: readDescription(input.all())
    default: fuzzSightings(&input)
    }
}

private func readDNS(_ bytes: [UInt8]) -> DNSMessage? {
    do throws(DNSMessage.Malformed) {
        let message = try DNSMessage(bytes)
        for question in message.questions { precondition(question.name.encoded.count <= DNSName.longest) }
        for record in message.records { precondition(record.name.encoded.count <= DNSName.longest) }
        precondition(message.questions.count + message.records.count <= DNSMessage.mostEntries)
        return message
    } catch {
        precondition(!"\(error)".isEmpty)
        return nil
    }
}

private func readSSDP(_ bytes: [UInt8]) -> SSDPMessage? {
    do throws(SSDPMessage.Malformed) {
        return try SSDPMessage(bytes)
    } catch {
        precondition(!"\(error)".isEmpty)
        return nil
    }
}

private func readDescription(_ bytes: [UInt8]) {
    do throws(DeviceDescription.Malformed) {
        let description = try DeviceDescription(bytes)
        precondition((description.name?.count ?? 0) <= 64)
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}

/// Packets one after another from a few senders, with time between: nothing is believed of another address, and nothing
/// grows without end.
private func fuzzSightings(_ input: inout FuzzInput) {
    var sightings = Sightings()
    var now = Duration.zero
    while !input.isEmpty {
        let number = input.byte()
        now += .seconds(Int(number >> 4))
        guard let address = CameraAddress(bytes: [10, 9, 0, number % 4]) else { return }
        let sender = Sightings.Sender(address: address, port: 5353, interface: "w0")
        let isDNS = number & 8 != 0
        let bytes = input.take(Int(input.number() % 600))
        var actions: [Sightings.Action] = []
        if isDNS {
            if let message = readDNS(bytes) { actions = sightings.heard(message, from: sender, at: now) }
        } else if let message = readSSDP(bytes) {
            actions = sightings.heard(message, from: sender, at: now)
        }
        for action in actions {
            if case .fetch(let request) = action {
                precondition(request.url.hasPrefix("http://10.9.0."), "a description is asked for elsewhere")
                actions += sightings.described(request, .failed("no"), at: now)
            }
        }
        _ = sightings.passed(to: now)
        precondition(sightings.cameras.count <= Sightings.most)
        for camera in sightings.cameras { precondition(camera.address.bytes.prefix(3) == [10, 9, 0]) }
    }
}
