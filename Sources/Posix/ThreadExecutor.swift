import Glibc

/// A thread of its own for actors that block: writing files, hashing. Jobs run one after another.
///
/// Its owner calls ``shutDown()`` when it is not used any more; until then the thread keeps it alive.
public final class ThreadExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private let name: String
    private let inbox = JobInbox()

    public init(name: String) {
        self.name = name
        start()
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        if inbox.append(UnownedJob(job)) == .threadIsGone { start() }
    }

    /// Runs what is queued and ends the thread. A job that comes later all the same, from a task that was
    /// cancelled late, gets a thread once more: a job that is never run is a task that never ends.
    public func shutDown() {
        inbox.end()
    }

    private func start() {
        Thread.start(name: name) { [self] in
            while let jobs = inbox.waitForJobs() {
                for job in jobs {
                    job.runSynchronously(
                        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
                }
            }
        }
    }
}

/// A queue that a thread sleeps at.
private final class JobInbox: @unchecked Sendable {
    enum Reception {
        case taken
        /// No thread runs it unless a new one is started.
        case threadIsGone
    }

    private var mutex = pthread_mutex_t()
    private var hasWork = pthread_cond_t()
    private var jobs: [UnownedJob] = []
    private var isEnding = false
    private var isAttended = true

    init() {
        pthread_mutex_init(&mutex, nil)
        pthread_cond_init(&hasWork, nil)
    }

    deinit {
        pthread_cond_destroy(&hasWork)
        pthread_mutex_destroy(&mutex)
    }

    func append(_ job: UnownedJob) -> Reception {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        jobs.append(job)
        guard isAttended else {
            isAttended = true
            return .threadIsGone
        }
        pthread_cond_signal(&hasWork)
        return .taken
    }

    func end() {
        pthread_mutex_lock(&mutex)
        isEnding = true
        pthread_cond_signal(&hasWork)
        pthread_mutex_unlock(&mutex)
    }

    /// Everything that is queued, as soon as there is something. Nothing when the end has come.
    func waitForJobs() -> [UnownedJob]? {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        while jobs.isEmpty, !isEnding { pthread_cond_wait(&hasWork, &mutex) }
        guard !jobs.isEmpty else {
            isAttended = false
            return nil
        }
        defer { jobs = [] }
        return jobs
    }
}
