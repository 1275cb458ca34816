import CLinux
import Glibc

/// Threads of the system.
enum Thread {
    /// Plenty for a loop that runs jobs. The default of 8 MiB would show in the size of the process.
    private static let stackSize = 512 << 10

    /// Runs `body` on a thread of its own that is not waited for.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var handle = pthread_t()
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        let result = pthread_create(&handle, &attributes, { Thread.run($0) }, work.toOpaque())
        precondition(result == 0, "no thread can be started: \(String(cString: strerror(result)))")
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { preconditionFailure("a thread is started with its work") }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        // The kernel keeps fifteen characters.
        tl_name_thread(String(work.name.prefix(15)))
        work.body()
        return nil
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
