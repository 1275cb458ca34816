/// What tells one run of the kernel from the next.
package enum BootID {
    private static let path = "/proc/sys/kernel/random/boot_id"

    /// Read once. Where there is no /proc every process counts as a boot of its own: nothing is trusted then.
    package static let current: String = {
        do throws(SystemError) {
            return String(decoding: try ReadableFile.virtualContents(of: path, limit: 128), as: UTF8.self)
        } catch {
            return "process \(MonotonicClock.now)"
        }
    }()
}
