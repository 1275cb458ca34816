/// What makers' bodies say in records of their own.
func fuzzMakers(_ input: inout FuzzInput) {
    let kind = input.byte()
    switch kind % 8 {
    case 0: fuzzNikonEvents(.short, input.all())
    case 1: fuzzNikonEvents(.extended, input.all())
    case 2: fuzzNikonPairing(input.all())
    case 3: fuzzCanonEvents(input.all())
    case 4: fuzzSonyProperties(input.all())
    case 5: fuzzSonyDeviceInfo(input.all())
    case 6: fuzzSonyContents(input.all())
    default: fuzzSonyWords(input.all())
    }
}

private func fuzzNikonEvents(_ layout: NikonEventList.Layout, _ bytes: [UInt8]) {
    do throws(Malformed) {
        let list = try NikonEventList(decoding: bytes[...], layout)
        precondition(list.records.count <= NikonEventList.mostRecords, "the limit is kept")
        let again = try NikonEventList(decoding: list.encoded(layout)[...], layout)
        precondition(again == list, "a list is what it says")
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}

private func fuzzNikonPairing(_ bytes: [UInt8]) {
    let code = NikonPairingCode(reading: bytes[...])
    precondition(code.readings.allSatisfy { $0.count == 4 && $0.allSatisfy(\.isNumber) }, "four digits")
    precondition(Set(code.readings).count == code.readings.count, "each reading is another")
    if let job = NikonTransferJob(parameters: [], data: bytes[...]) {
        precondition(job.handle != .root && job.handle != .all, "an object has a handle")
    }
}

/// Records come in order, each whole, and what follows the last one changes nothing about those before it.
private func fuzzCanonEvents(_ bytes: [UInt8]) {
    let list = CanonEventList(decoding: bytes[...])
    let read = list.records.reduce(0) { $0 + $1.length }
    precondition(read <= bytes.count)
    for record in list.records {
        precondition(record.length >= 8 && record.parameters.count <= 5)
        precondition(!"\(record.event)".isEmpty)
    }
    let again = CanonEventList(decoding: bytes[..<read])
    precondition(again.records == list.records && again.problem == nil)
}

private func fuzzSonyProperties(_ bytes: [UInt8]) {
    for version in [SonyVersion.two, .three] {
        do throws(Malformed) {
            let list = try SonyPropertyList(decoding: bytes[...], version: version)
            precondition(list.properties.count <= DatasetLimits.sonyProperties, "the limit is kept")
            precondition(!"\(list)".isEmpty)
            let waiting = list[.sonyShotsWaiting]?.number.map {
                SonyShotsWaiting(rawValue: UInt16(truncatingIfNeeded: $0))
            }
            precondition(waiting.map { !$0.isReady || !$0.isNone } ?? true, "what is ready is there")
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }
}

private func fuzzSonyDeviceInfo(_ bytes: [UInt8]) {
    do throws(Malformed) {
        let info = try SonyExtendedDeviceInfo(decoding: bytes[...])
        let again = try SonyExtendedDeviceInfo(decoding: info.encoded[...])
        precondition(again == info, "it is what it says")
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}

private func fuzzSonyContents(_ bytes: [UInt8]) {
    do throws(Malformed) {
        let list = try SonyContentList(decoding: bytes[...])
        precondition(list.contents.count <= SonyContentList.mostContents, "the limit is kept")
        for file in list.contents.flatMap(\.files) {
            precondition(file.umid.count == SonyContentList.umidLength)
            precondition(file.path.utf8.count <= 3 * SonyContentList.longestPath && !file.path.contains("\0"))
        }
        // Text that is none comes out longer than it went in.
        guard list.contents.flatMap(\.files).allSatisfy({ !$0.path.contains("\u{FFFD}") }) else { return }
        let again = try SonyContentList(decoding: list.encoded[...])
        precondition(again == list, "a list is what it says")
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}

/// Values of single words: what is ready is there, and each rule for datasets is one of two.
private func fuzzSonyWords(_ bytes: [UInt8]) {
    for pair in zip(bytes, bytes.dropFirst()) {
        let word = UInt16(pair.0) << 8 | UInt16(pair.1)
        let waiting = SonyShotsWaiting(rawValue: word)
        precondition(!waiting.isReady || !waiting.isNone, "what is ready is there")
        precondition(SonyVersion(rawValue: word).enumeratesTwice == (word >= 300))
    }
}
