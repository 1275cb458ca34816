import CLinux
import Glibc

/// A file in the making: it has a temporary name until it is whole, and its final name only then.
///
/// The order is the point. Bytes, then fsync, then the rename that refuses to replace anything, then fsync of
/// the folder: a reader that sees the final name sees the whole file, after a power cut too.
package final class StagedFile: Sendable {
    package let directory: Directory
    package let name: String
    private let descriptor: OwnedDescriptor

    /// Opens the partial file, making it if it is not there. What it already holds stays.
    package init(
        in directory: Directory, partialName name: String, mode: UInt32 = 0o666
    ) throws(SystemError) {
        Directory.requireComponent(name)
        self.directory = directory
        self.name = name
        descriptor = OwnedDescriptor(
            owning: try check("opening", on: "\(directory.path)/\(name)") {
                tl_openat(directory.number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode)
            })
    }

    var number: Int32 { descriptor.number }
    var path: String { "\(directory.path)/\(name)" }

    /// Opens a file that is whole, to look at it.
    package init(in directory: Directory, reading name: String) throws(SystemError) {
        Directory.requireComponent(name)
        self.directory = directory
        self.name = name
        descriptor = OwnedDescriptor(
            owning: try check("opening", on: "\(directory.path)/\(name)") {
                tl_openat(directory.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
            })
    }

    package func size() throws(SystemError) -> UInt64 {
        var facts = stat()
        try check("stat", on: path) { fstat(descriptor.number, &facts) }
        return UInt64(max(0, facts.st_size))
    }

    /// Reserves space, so that a full disk shows before the camera is asked, and large files lie in one piece.
    /// A file system that cannot is no error: false.
    @discardableResult
    package func preallocate(_ length: UInt64) throws(SystemError) -> Bool {
        guard length > 0 else { return true }
        do throws(SystemError) {
            try check("reserving \(length) bytes", on: path) {
                tl_preallocate(descriptor.number, Int64(length))
            }
            return true
        } catch {
            if error.number != EOPNOTSUPP && error.number != ENOSYS { throw error }
            return false
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            let count = try check("writing", on: path) {
                pwrite(descriptor.number, rest.baseAddress, rest.count, off_t(position))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            position += UInt64(count)
        }
    }

    package func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
        var failure: SystemError?
        bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { try write(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    package func read(into memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemError)
        -> Int
    {
        try check("reading", on: path) {
            pread(descriptor.number, memory.baseAddress, memory.count, off_t(offset))
        }
    }

    package func truncate(to length: UInt64) throws(SystemError) {
        try check("cutting", on: path) { ftruncate(descriptor.number, off_t(length)) }
    }

    /// The time the photo was taken, as far as a file can say it.
    package func setModified(_ seconds: Int64) throws(SystemError) {
        let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
        try check("setting the time", on: path) { futimens(descriptor.number, times) }
    }

    /// Keeps a short text with the file, under the user's names for such (xattr(7)). False where the file system keeps none.
    package func note(_ text: String, as name: String) throws(SystemError) -> Bool {
        let bytes = Array(text.utf8)
        do throws(SystemError) {
            try check("noting \(name)", on: path) {
                tl_set_attribute(descriptor.number, "user.\(name)", bytes, bytes.count)
            }
            return true
        } catch {
            guard [EOPNOTSUPP, ENOSYS, EPERM].contains(error.number) else { throw error }
            return false
        }
    }

    /// What was kept so; nothing where there is no such note.
    package func note(named name: String) throws(SystemError) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        do throws(SystemError) {
            let count = try check("reading \(name)", on: path) {
                tl_get_attribute(descriptor.number, "user.\(name)", &bytes, bytes.count)
            }
            return String(decoding: bytes[..<count], as: UTF8.self)
        } catch {
            // A longer one is not ours.
            guard [ENODATA, EOPNOTSUPP, ENOSYS, ERANGE].contains(error.number) else { throw error }
            return nil
        }
    }

    /// Removes every right to write or run it, for all users.
    package func makeReadOnly() throws(SystemError) {
        var facts = stat()
        try check("stat", on: path) { fstat(descriptor.number, &facts) }
        try check("making read-only", on: path) { fchmod(descriptor.number, facts.st_mode & 0o444) }
    }

    /// The bytes and the length, without the times: cheaper than ``sync()``, as often as one likes.
    package func syncData() throws(SystemError) {
        try check("fdatasync", on: path) { fdatasync(descriptor.number) }
    }

    package func sync() throws(SystemError) {
        try check("fsync", on: path) { fsync(descriptor.number) }
    }

    package enum Publication: Equatable, Sendable {
        case published
        /// Something else has that name; nothing was changed.
        case nameTaken
    }

    /// Gives the file its final name, in the same folder. Without `isDurable` a power cut may undo it.
    package func publish(as finalName: String, isDurable: Bool = true) throws(SystemError) -> Publication {
        Directory.requireComponent(finalName)
        if isDurable { try sync() }
        do throws(SystemError) {
            try check("renaming to \(finalName)", on: path) {
                tl_rename_without_replacing(directory.number, name, directory.number, finalName)
            }
        } catch {
            if error.number == EEXIST { return .nameTaken }
            throw error
        }
        if isDurable { try directory.sync() }
        return .published
    }

    package func discard() throws(SystemError) {
        try directory.remove(name)
    }
}

/// Writes a small file so that a reader sees the old one or the new one, never half of either.
///
/// With `replacing` false what is there already stays, and the answer is false: of several programs that make a file
/// at the same moment, one does. `old`: it takes that one's place, and has its owner and rights.
@discardableResult
package func writeAtomically(
    _ bytes: [UInt8], to name: String, in directory: Directory, mode: UInt32 = 0o600, replacing: Bool = true,
    like old: FileFacts? = nil
) throws(SystemError) -> Bool {
    Directory.requireComponent(name)
    // A name of its own, also when two programs write the same file.
    let temporary = ".\(name).\(getpid()).new"
    let path = "\(directory.path)/\(temporary)"
    let descriptor = OwnedDescriptor(
        owning: try check("opening", on: path) {
            tl_openat(
                directory.number, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode)
        })
    let number = descriptor.number
    do throws(SystemError) {
        if let old { try resemble(old, number, path) }
        var done = 0
        while done < bytes.count {
            done += try check("writing", on: path) {
                bytes[done...].withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            }
        }
        try check("fsync", on: path) { fsync(number) }
        try check("renaming to \(name)", on: path) {
            replacing
                ? renameat(directory.number, temporary, directory.number, name)
                : tl_rename_without_replacing(directory.number, temporary, directory.number, name)
        }
    } catch {
        // On a disk that is full it would take what is left of it. That it failed says more than that this did.
        unlinkat(directory.number, temporary, 0)
        if error.number == EEXIST, !replacing { return false }
        throw error
    }
    try directory.sync()
    return true
}

/// What is another user's stays theirs: only root may give away, and others are told that they may not.
private func resemble(_ old: FileFacts, _ number: Int32, _ path: String) throws(SystemError) {
    var now = stat()
    try check("stat", on: path) { fstat(number, &now) }
    if now.st_uid != old.owner || now.st_gid != old.group {
        try check("keeping the owner", on: path) { fchown(number, old.owner, old.group) }
    }
    try check("keeping the rights", on: path) { fchmod(number, old.rights) }
}
