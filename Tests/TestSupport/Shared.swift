import Synchronization

/// A value that several tasks of a test touch.
public final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    public init(_ value: Value) {
        state = Mutex(value)
    }

    public var value: Value { state.withLock { $0 } }

    @discardableResult
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { body(&$0) }
    }
}
