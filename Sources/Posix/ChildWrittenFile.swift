package import CLinux
import Glibc

/// A file that is written by a process of its own, so that it never ends in half a record.
///
/// A process that is killed in the middle of `write(2)` leaves a part of it: the kernel looks for a deadly signal at
/// every page. Here each flush of the stream is one message to a child, which is whole or was never sent; the child
/// writes what it has got and ends when the sender is gone.
package final class ChildWrittenFile {
    /// Each flush of this is written whole. Closed by its user.
    package let stream: UnsafeMutablePointer<FILE>
    private let socket: Int32
    private let child: pid_t

    /// Empties the file or makes it.
    package init(path: String) throws(SystemError) {
        let file = OwnedDescriptor(
            owning: try check("opening", on: path) {
                tl_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            })
        var socket: Int32 = -1
        child = try check("starting a process that writes", on: path) {
            tl_start_file_writer(file.number, &socket)
        }
        self.socket = socket
        guard let stream = tl_message_stream(socket) else {
            let number = errno
            close(socket)
            throw SystemError("opening a stream", number, on: path)
        }
        self.stream = stream
    }

    /// Why the file has ended, if it has.
    package var failure: Int32? {
        let number = tl_file_writer_failure(socket)
        return number == 0 ? nil : number
    }

    /// Waits until everything that was flushed is in the file. Nothing can be written after it; the stream still has
    /// to be closed. Gives why the file ended early, if it did.
    package func finish() -> Int32? {
        shutdown(socket, Int32(SHUT_WR))
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return failure
    }
}
