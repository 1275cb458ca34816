/// What the kernel says over netlink: of interfaces, routes and wireless names.
func fuzzKernel(_ input: inout FuzzInput) {
    switch input.byte() % 4 {
    case 0: fuzzDatagram(input.all())
    case 1: fuzzAttributes(input.all())
    case 2: fuzzRequest(&input)
    default: isLinear(input.repeated()) { bytes in readAll(messages(bytes) ?? []) }
    }
}

private func messages(_ datagram: [UInt8]) -> [NetlinkMessage]? {
    do throws(NetlinkMessage.Malformed) {
        return try NetlinkMessage.all(in: datagram)
    } catch {
        precondition(!"\(error)".isEmpty)
        return nil
    }
}

private func attributes(_ body: ArraySlice<UInt8>) -> [UInt16: ArraySlice<UInt8>]? {
    do throws(NetlinkMessage.Malformed) {
        return try NetlinkMessage.attributes(of: body)
    } catch {
        precondition(!"\(error)".isEmpty)
        return nil
    }
}

private func fuzzDatagram(_ datagram: [UInt8]) {
    guard let all = messages(datagram) else { return }
    let claimed = all.reduce(0) { $0 + 16 + $1.body.count }
    precondition(claimed <= datagram.count, "messages have more bytes than came")
    readAll(all)
    // Cut short it is refused, or the same without its end.
    let half = messages(Array(datagram.prefix(datagram.count / 2)))
    precondition(half.map { all.starts(with: $0) } ?? true, "what was cut off changes what stands before it")
}

private func readAll(_ all: [NetlinkMessage]) {
    for message in all {
        precondition(WirelessName.name(message)?.isEmpty != true)
        do throws(NetlinkMessage.Malformed) {
            let link = try NetworkLink(message)
            precondition(!link.name.isEmpty && link.lower != link.index && link.remote.map(isAddress) ?? true)
        } catch {
            precondition(!"\(error)".isEmpty)
        }
        do throws(NetlinkMessage.Malformed) {
            guard let route = try NetworkRoute.read(message) else { continue }
            precondition(
                route.interface > 0 && [route.gateway, route.source].allSatisfy { $0.map(isAddress) ?? true })
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }
}

private func isAddress(_ bytes: [UInt8]) -> Bool { bytes.count == 4 || bytes.count == 16 }

/// What was read can be written, and is the same when it is read again.
private func fuzzAttributes(_ body: [UInt8]) {
    guard let read = attributes(body[...]) else { return }
    let bytes = NetlinkMessage.request(
        1, flags: 0, sequence: 2, fixed: [], read.map { (type: $0.key, value: Array($0.value)) })
    precondition(
        messages(bytes)?.first.flatMap { attributes($0.body) } == read, "attributes are read as others")
}

private func fuzzRequest(_ input: inout FuzzInput) {
    let (type, flags, sequence) = (UInt16(input.byte()), UInt16(input.byte()), input.number())
    let fixed = input.take(Int(input.byte() % 5) * 4)
    var values: [(type: UInt16, value: [UInt8])] = []
    while !input.isEmpty { values.append((UInt16(input.byte()), input.take(Int(input.byte())))) }
    let bytes = NetlinkMessage.request(type, flags: flags, sequence: sequence, fixed: fixed, values)
    guard let all = messages(bytes), let message = all.first, all.count == 1 else {
        preconditionFailure("what was written cannot be read")
    }
    precondition(message.type == type && message.flags == flags | 1 && message.sequence == sequence)
    precondition(message.body.starts(with: fixed))
    let last = Dictionary(values.map { ($0.type, $0.value[...]) }) { $1 }
    precondition(attributes(message.body.dropFirst(fixed.count)) == last, "an attribute was lost")
}
