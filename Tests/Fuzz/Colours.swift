/// Colour profiles and numbers for colours, as any program may write them into a photo: converted to sRGB, or refused.
func fuzzColours(_ input: inout FuzzInput) {
    let samples: ColourPlan.Samples =
        switch input.byte() % 4 {
        case 0: .grey
        case 1: .inks
        case 2: .oppositeInks
        default: .colours
        }
    let claim: ColourClaim? =
        switch input.byte() % 4 {
        case 0: CodePoints.claim(primaries: Int(input.byte()), transfer: Int(input.byte()))
        case 1: .space(numbers(&input))
        default: .profile(input.all())
        }
    let isDeep = input.byte() % 2 == 0
    var plan = ColourPlan(claim.map { [$0] } ?? [], of: samples)
    precondition(plan.facts.isConverted == (plan.transform != nil))
    precondition(!plan.facts.isConverted || plan.facts.problem == nil, "one claim is believed or not")
    convert(by: plan.transform)
    let bits = isDeep ? 16 : 10
    guard samples == .colours, let shortening = plan.shortened(bits: bits) else { return }
    shorten(by: shortening, bits: bits)
    convert(by: plan.transform)
}

/// A few deep samples, from the darkest to the brightest that there are.
private func shorten(by shortening: SampleConversion, bits: Int) {
    let count = 64
    let samples = UnsafeMutablePointer<UInt16>.allocate(capacity: count * 4)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count * 4)
    defer {
        samples.deallocate()
        bytes.deallocate()
    }
    for index in 0..<(count * 4) {
        samples[index] = UInt16(truncatingIfNeeded: index &* 257) >> UInt16(16 - bits)
    }
    for channels in 3...4 { shortening.shorten(samples, to: bytes, pixels: count, channels: channels) }
}

/// A few samples of everything, and memory for just these, so that the sanitizer sees a look behind its end.
private func convert(by transform: ColourTransform?) {
    guard let transform else { return }
    if transform.samples == .grey {
        precondition(transform.table().count == 256)
        return
    }
    let count = 64
    let width = transform.samples == .colours ? 3 : 4
    let samples = UnsafeMutablePointer<UInt8>.allocate(capacity: count * width)
    let colours = UnsafeMutablePointer<UInt8>.allocate(capacity: count * 3)
    defer {
        samples.deallocate()
        colours.deallocate()
    }
    for index in 0..<(count * width) { samples[index] = UInt8(truncatingIfNeeded: index &* 37) }
    transform.convert(samples, to: colours, count: count)
}

private func numbers(_ input: inout FuzzInput) -> ColourSpace {
    func point() -> ColourSpace.Chromaticity {
        .init(Double(input.number()) / 100_000, Double(input.number()) / 100_000)
    }
    let primaries = ColourSpace.Primaries(red: point(), green: point(), blue: point(), white: point())
    return ColourSpace(primaries: primaries, curve: .power(Double(input.number()) / 100_000))
}
