import Glibc

/// What one worker may use. A file may make a library do anything at all; these hold whatever it does.
package struct WorkerLimits: Equatable, Sendable {
    /// For one job, from the moment a worker is asked.
    package var wall = Duration.seconds(60)
    /// For one job. Two hundred million pixels take a tenth of it.
    package var processorSeconds = 30
    /// Room for the largest file that is looked at, and for the coefficients of a progressive JPEG of the most pixels.
    package var memory = 2 << 30
    /// Of one file that is written; a rendition has a thousandth of it.
    package var fileSize = 64 << 20

    package init() {}

    /// For this process, for good.
    func hold() {
        Self.set(RLIMIT_AS, memory)
        Self.set(RLIMIT_FSIZE, fileSize)
        Self.set(RLIMIT_CORE, 0)
        Self.set(RLIMIT_NOFILE, 64)
    }

    /// From now on so many seconds more, before the kernel ends this process.
    func holdProcessor() {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1
        var limit = rlimit()
        getrlimit(RLIMIT_CPU.resource, &limit)
        limit.rlim_cur = rlim_t(used + processorSeconds)
        setrlimit(RLIMIT_CPU.resource, &limit)
    }

    private static func set(_ resource: __rlimit_resource, _ value: Int) {
        var limit = rlimit()
        getrlimit(resource.resource, &limit)
        let value = min(rlim_t(value), limit.rlim_max)
        limit = rlimit(rlim_cur: value, rlim_max: value)
        setrlimit(resource.resource, &limit)
    }
}

extension __rlimit_resource {
    fileprivate var resource: __rlimit_resource_t { __rlimit_resource_t(rawValue) }
}
