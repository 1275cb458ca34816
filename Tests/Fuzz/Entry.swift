// Compiled by tools/fuzz together with the pure sources into one module, with libFuzzer and the address sanitizer.
// Not a target of the package: SwiftPM cannot link libFuzzer.
import Glibc

/// What is being fuzzed in this run: a name of `FuzzTarget`, by the environment.
private let target: FuzzTarget = {
    let name = getenv("TETHERLINE_FUZZ").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        preconditionFailure("TETHERLINE_FUZZ names no target")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

enum FuzzTarget: String {
    case packets
    case datasets
    case makers
    case noticing
    case redaction
    case frames
    case texts
    case settings
    case initiator
    case responder
    case stores
    case kernel
    case pictures
    case colours
    case structures
    case requests
    case tokens
    case discovery

    func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        switch self {
        case .packets: fuzzPackets(&input)
        case .datasets: fuzzDatasets(&input)
        case .makers: fuzzMakers(&input)
        case .noticing: fuzzNoticing(&input)
        case .redaction: fuzzRedaction(&input)
        case .frames: fuzzFrames(&input)
        case .texts: fuzzTexts(&input)
        case .settings: fuzzSettings(&input)
        case .initiator: fuzzInitiator(&input)
        case .responder: fuzzResponder(&input)
        case .stores: fuzzStores(&input)
        case .kernel: fuzzKernel(&input)
        case .pictures: fuzzPictures(&input)
        case .colours: fuzzColours(&input)
        case .structures: fuzzStructures(&input)
        case .requests: fuzzRequests(&input)
        case .tokens: fuzzTokens(&input)
        case .discovery: fuzzDiscovery(&input)
        }
    }
}

/// Bytes as a source of decisions. When there are no more, every answer is zero.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number() -> UInt32 { (0..<4).reduce(0) { value, _ in value << 8 | UInt32(byte()) } }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func all() -> [UInt8] { take(rest.count) }

    /// Its beginning, and the rest again and again: far more than one input has.
    mutating func repeated() -> [UInt8] {
        var bytes = take(Int(byte()))
        let unit = all()
        guard !unit.isEmpty else { return bytes }
        while bytes.count < 1 << 17 { bytes += unit }
        return bytes
    }
}

/// Reading so much takes a few milliseconds. What takes a hundred times as long looks at its bytes again and again.
func isLinear(_ bytes: [UInt8], _ read: ([UInt8]) -> Void) {
    let began = processorTime()
    read(bytes)
    let spent = processorTime() - began
    precondition(spent < .seconds(1), "\(bytes.count) bytes took \(spent)")
}

/// Of this thread: others may be busy.
private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
