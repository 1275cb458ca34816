/// The same bytes at once and in pieces give the same packets, the same payload and the same error.
func fuzzPackets(_ input: inout FuzzInput) {
    let seed = input.byte()
    let bytes = input.all()
    let atOnce = decoded([bytes])
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    var step = seed
    while !rest.isEmpty {
        step = step &* 5 &+ 1
        let count = Int(step % 13) + 1
        pieces.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
    }
    precondition(decoded(pieces) == atOnce, "packets depend on how the bytes were cut")
}

private struct Decoded: Equatable {
    var packets: [Packet] = []
    var odd: [OddPacket] = []
    var payload: [UInt8] = []
    var error: Malformed?
}

private func decoded(_ pieces: [[UInt8]]) -> Decoded {
    var decoder = PacketDecoder()
    var result = Decoded()
    for piece in pieces {
        decoder.append(piece)
        do throws(Malformed) {
            while let output = try decoder.next() {
                switch output {
                case .packet(let packet): result.packets.append(packet)
                case .odd(let packet):
                    precondition(!packet.description.isEmpty)
                    result.odd.append(packet)
                case .payload(let bytes): result.payload += bytes
                }
            }
        } catch {
            result.error = error
            return result
        }
    }
    return result
}

func fuzzDatasets(_ input: inout FuzzInput) {
    let kind = input.byte()
    let bytes = input.all()[...]
    do throws(Malformed) {
        switch kind % 10 {
        case 0: use(try DeviceInfo(decoding: bytes))
        case 1: use(try StorageInfo(decoding: bytes))
        case 2: use(try ObjectInfo(decoding: bytes))
        case 3: use(try ObjectInfo(decoding: bytes, vendor: .samsung))
        case 4: use(try HandleList(decoding: bytes, limit: 1000))
        case 5: use(try StorageIDList(decoding: bytes))
        case 6: use(try DevicePropertyDescription(decoding: bytes))
        case 7: use(try ObjectPropertyDescription(decoding: bytes))
        case 8: use(try ObjectPropertyList(decoding: bytes))
        default: use(try CodeList<ObjectPropertyCode>(decoding: bytes))
        }
    } catch {
        use(error)
    }
}

/// Printing is part of what must not fail.
private func use(_ value: Any) {
    precondition(!"\(value)".isEmpty)
}

func fuzzFrames(_ input: inout FuzzInput) {
    let layers: [LinkLayer] = [.null, .ethernet, .raw, .loop, .linuxCooked, .linuxCooked2, .ipv4, .ipv6]
    let layer = layers[Int(input.byte()) % layers.count]
    var assembler = StreamAssembler()
    var given = 0
    var fed = 0
    while !input.isEmpty {
        let frame = input.take(Int(input.byte()))
        let longer = Int(input.byte()) * 16
        do throws(SkippedFrame) {
            let segment = try FrameDecoder.decode(frame[...], originalLength: frame.count + longer, layer)
            fed += segment.payload.count
            for piece in assembler.add(segment.sequence, segment.payload, leftOut: segment.leftOut) {
                if case .bytes(let bytes) = piece { given += bytes.count }
            }
        } catch {
            use(error)
        }
    }
    for piece in assembler.flush() { if case .bytes(let bytes) = piece { given += bytes.count } }
    precondition(given <= fed, "reassembly made bytes up")
}

func fuzzTexts(_ input: inout FuzzInput) {
    let kind = input.byte()
    let text = String(decoding: input.all(), as: UTF8.self)
    switch kind % 4 {
    case 0: use(DateTime(text) as Any)
    case 1: use(GUID(text: text) as Any)
    case 2: precondition(!Visible(text).description.unicodeScalars.contains { $0.value < 0x20 })
    default:
        let safe = SafeName.component(text, fallback: "x")
        precondition(!safe.isEmpty && safe.utf8.count <= SafeName.longestBytes)
        precondition(
            !safe.hasPrefix(".") && !safe.hasPrefix("-") && !safe.contains("/") && !safe.contains("\0"))
        precondition(SafeName.component(safe, fallback: "x") == safe, "a safe name is made safe again")
    }
}

/// What people write, and manifests from anywhere.
func fuzzSettings(_ input: inout FuzzInput) {
    let kind = input.byte()
    let bytes = input.all()
    let text = String(decoding: bytes, as: UTF8.self)
    switch kind % 4 {
    case 0: fuzzTemplate(text)
    case 1: use(CivilTime(ptp: text).map { $0.date + $0.time } as Any)
    case 2: use(MagicBytes.match(bytes, format: 0, name: text) as Any)
    default:
        do throws(JSON5Error) {
            let value = try JSON5.parse(bytes)
            // What was read can be written, and is the same when it is read again.
            let again = try JSON5.parse(value.compact)
            precondition(again == value, "JSON that was written is read as something else")
        } catch {
            use(error)
        }
    }
}

private func fuzzTemplate(_ text: String) {
    let hostile = NameTemplate.Facts(
        event: "../\(text)", date: "2026-11-21", time: "185903", camera: text, serial: "..", sequence: -1,
        name: text)
    do throws(NameTemplate.Invalid) {
        for template in [try NameTemplate("{event}/{camera}/{name}"), try NameTemplate(text)] {
            let components = template.components(for: hostile)
            precondition(!components.isEmpty)
            for name in components {
                precondition(!name.isEmpty && name != "." && name != ".." && !name.contains("/"))
                precondition(name.utf8.count <= SafeName.longestBytes)
            }
        }
    } catch {
        use(error)
    }
}
