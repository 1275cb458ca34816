/// Where the bytes of a photo go: a file, a spool, a test's array.
///
/// Called on a thread of its own, in order of offset, never twice at once, and may block. What it throws
/// ends the fetch: the camera is told to stop, the connection stands.
public protocol PayloadSink: Sendable {
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws
}
