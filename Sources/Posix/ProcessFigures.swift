import Glibc

/// What this process holds at the moment, as the kernel counts it (proc(5)).
package struct ProcessFigures: Equatable, Sendable {
    package var processorSeconds: Double
    package var residentBytes: UInt64
    package var virtualBytes: UInt64
    package var openFiles: Int
    package var mostFiles: UInt64

    package init(
        processorSeconds: Double, residentBytes: UInt64, virtualBytes: UInt64, openFiles: Int,
        mostFiles: UInt64
    ) {
        self.processorSeconds = processorSeconds
        self.residentBytes = residentBytes
        self.virtualBytes = virtualBytes
        self.openFiles = openFiles
        self.mostFiles = mostFiles
    }

    /// More are not counted.
    private static let mostCounted = 1 << 20

    package static func now() throws(SystemError) -> ProcessFigures {
        let path = "/proc/self/statm"
        let text = String(
            decoding: try ReadableFile.virtualContents(of: path, limit: 4096), as: UTF8.self)
        // "size, resident, …: measured in pages".
        let pages = text.split(separator: " ").prefix(2).compactMap { UInt64($0) }
        guard pages.count == 2 else { throw SystemError("reading two numbers", EBADMSG, on: path) }
        let page = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
        var limit = rlimit()
        try check("getrlimit", on: "this process") {
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        // The folder that is being read is open twice for that, which was not asked.
        let files = try Directory(path: "/proc/self/fd").names(limit: mostCounted).count - 2
        return ProcessFigures(
            processorSeconds: ResourceUse.now.processorSeconds, residentBytes: pages[1] * page,
            virtualBytes: pages[0] * page, openFiles: max(0, files), mostFiles: UInt64(limit.rlim_cur))
    }
}
