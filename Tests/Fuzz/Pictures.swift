/// Files of cameras, as they are looked at without decoding a picture: EXIF, and how JPEG, PNG and raw files are laid out.
func fuzzPictures(_ input: inout FuzzInput) {
    let kind = input.byte()
    if kind >= 128 {
        isLinear(input.repeated()) { look(at: $0, kind) }
    } else {
        look(at: input.all(), kind)
    }
}

private func look(at file: [UInt8], _ kind: UInt8) {
    // In memory of just this size, so that the sanitizer sees a look behind its end.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: 1)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: file)
    let whole = UnsafeRawBufferPointer(bytes)
    switch kind % 8 {
    case 0: check(ExifFacts(whole))
    case 1: lookAtJPEG(whole)
    case 2: lookAtPNG(whole)
    case 3: lookAtRaw(whole, .tiff)
    case 4: lookAtRaw(whole, .canon3)
    case 5: lookAtRaw(whole, .fuji)
    case 6: lookAtRaw(whole, .panasonic)
    default: if let kind = PictureKind(whole) { lookAtRaw(whole, kind) }
    }
}

private func lookAtJPEG(_ file: UnsafeRawBufferPointer) {
    let layout = JPEGLayout(file)
    if case .profile(let bytes) = layout.profile.claim {
        precondition(bytes.count <= file.count, "a profile is longer than its file")
    }
    guard let exif = layout.exif else { return }
    precondition(isInside(exif, of: file))
    check(ExifFacts(exif))
}

private func lookAtPNG(_ file: UnsafeRawBufferPointer) {
    let layout = PNGLayout(file)
    for chunk in layout.colours.values { precondition(isInside(chunk, of: file) && chunk.count >= 8) }
    guard let exif = layout.exif else { return }
    precondition(isInside(exif, of: file))
    check(ExifFacts(exif))
}

private func lookAtRaw(_ file: UnsafeRawBufferPointer, _ kind: PictureKind) {
    let previews = RawPreviews(file, kind)
    precondition(previews.candidates.count <= RawPreviews.most)
    for candidate in previews.candidates {
        precondition(isInside(candidate, of: file) && candidate.starts(with: [0xFF, 0xD8, 0xFF]))
    }
    check(previews.exif)
}

private func isInside(_ part: UnsafeRawBufferPointer, of whole: UnsafeRawBufferPointer) -> Bool {
    guard let start = part.baseAddress, let first = whole.baseAddress else { return part.isEmpty }
    return start >= first && start + part.count <= first + whole.count
}

/// What is shown of a photo: a time that can be written, and texts of one line.
private func check(_ facts: ExifFacts) {
    for moment in [facts.time.clock, facts.time.satellites].compactMap({ $0 }) {
        let text = CivilTime.rfc3339(milliseconds: moment.milliseconds)
        precondition(Timestamp(rfc3339: text) == moment, "a time cannot be written: \(text)")
    }
    precondition(facts.time.clock != nil || facts.time.offset == nil, "a zone of no time")
    for zone in [facts.time.offset, facts.time.provenOffset].compactMap({ $0 }) {
        precondition(ExifTime.zones.contains(zone), "a zone that is nowhere: \(zone)")
    }
    for text in [facts.camera, facts.serial, facts.copyright].compactMap({ $0 }) {
        precondition(!text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        precondition(text.unicodeScalars.count <= 801, "a text has no limit")
    }
}
