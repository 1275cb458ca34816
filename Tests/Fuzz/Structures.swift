/// Files as others wrote and cut them: whatever their structure says, there is a verdict, and little was read for it.
func fuzzStructures(_ input: inout FuzzInput) {
    let kind = input.byte()
    let bytes = kind % 4 == 0 ? input.repeated() : input.all()
    // There may be less to read than there should be.
    let length = kind % 4 == 1 ? UInt64(bytes.count) << (kind / 4) : UInt64(bytes.count)
    let verdict = judge(bytes, length)
    if case .cutShort(let reason) = verdict { precondition(!reason.isEmpty) }
    if verdict == .whole, bytes.count < FileStructure.Limit.tail / 2 {
        let padded = bytes + [UInt8](repeating: 0, count: 512)
        if case .cutShort = judge(padded, UInt64(padded.count)) {
            preconditionFailure("padding makes a whole file a cut one")
        }
    }
    for name in ["a.JPG", "a.NEF", "a.MOV", "a"] {
        let first = Array(bytes.prefix(MagicBytes.length))
        let matches = MagicBytes.match(first, format: 0x3801, name: name)
        let contradiction = MagicBytes.contradiction(first, format: 0x3801, name: name)
        precondition((matches == false) == (contradiction != nil))
    }
}

private func judge(_ bytes: [UInt8], _ length: UInt64) -> StructureVerdict {
    var total = 0
    let verdict = FileStructure.verdict(length: length) { offset, count in
        precondition(offset <= length && UInt64(count) <= length - offset, "asked for what is not there")
        total += count
        guard offset < UInt64(bytes.count) else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    precondition(total <= FileStructure.Limit.bytes + FileStructure.Limit.tail, "no limit to what is read")
    return verdict
}
