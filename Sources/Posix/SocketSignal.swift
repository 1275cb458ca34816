import Glibc

/// Writing to a connection that is gone.
package enum BrokenPipe {
    /// From now on it is an error on this thread and no signal that ends the program: for libraries that write without
    /// asking for that.
    package static func isNoSignalHere() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
