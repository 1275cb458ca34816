import Posix

/// On a thread of its own: what blocks on the pool's would stop the handlers of the server that it waits for, and those of
/// other tests.
public func aside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let thread = ThreadExecutor(name: "aside")
    defer { thread.shutDown() }
    return try await Task(executorPreference: thread) { try body() }.value
}
