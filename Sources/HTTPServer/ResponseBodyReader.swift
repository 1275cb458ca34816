import CMicrohttpd

/// What the library asks for the next bytes of a body that is made while it is sent.
final class ResponseBodyReader: @unchecked Sendable {
    enum Origin {
        case pump(BodyPump)
        case events(EventStream)
    }

    let origin: Origin
    private let wire: Wakeable
    /// On the network's thread only.
    private(set) var sent: UInt64 = 0

    init(_ origin: Origin, _ wire: Wakeable) {
        self.origin = origin
        self.wire = wire
    }

    /// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR.
    private static let end = -1
    private static let failure = -2

    /// Nothing only where the connection sleeps: the library would ask again at once.
    func read(into memory: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            switch take(into: memory) {
            case .bytes(let count):
                sent += UInt64(count)
                return count
            case .ended: return Self.end
            case .failed: return Self.failure
            case .nothingYet: if wire.sleep() { return 0 }
            }
        }
    }

    private func take(into memory: UnsafeMutableRawBufferPointer) -> BodyPump.Take {
        switch origin {
        case .pump(let pump): return pump.take(into: memory)
        case .events(let stream):
            switch stream.take(into: memory) {
            case .bytes(let count): return .bytes(count)
            case .nothingYet: return .nothingYet
            case .ended: return .ended
            }
        }
    }

    /// In order for events, which end anywhere; others are cut.
    func stop() {
        switch origin {
        case .pump(let pump): pump.abandon()
        case .events(let stream): stream.end()
        }
    }

    /// A response of the library's that asks this for its bytes; its length where that is known before.
    func makeResponse(length: UInt64?) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self)
        let blockSize = if case .events = origin { 4 << 10 } else { 32 << 10 }
        let response = MHD_create_response_from_callback(
            length ?? UInt64.max, blockSize,
            { context, _, memory, size in
                guard let context, let memory else { return ResponseBodyReader.failure }
                return Unmanaged<ResponseBodyReader>.fromOpaque(context).takeUnretainedValue().read(
                    into: UnsafeMutableRawBufferPointer(start: memory, count: size))
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<ResponseBodyReader>.fromOpaque(context).release()
            })
        if response == nil { context.release() }
        return response
    }
}
