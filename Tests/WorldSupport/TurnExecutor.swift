import Glibc

/// One thread for everything that a test watches, which says when it has nothing left to do: then nothing happens until
/// the test moves the clock. What follows from a seed is the same each time when the test runs on it, too.
package final class TurnExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private var mutex = pthread_mutex_t()
    private var hasNews = pthread_cond_t()
    private var jobs: [UnownedJob] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var isIdle = false
    private var isEnding = false

    package init() {
        pthread_mutex_init(&mutex, nil)
        pthread_cond_init(&hasNews, nil)
        var handle = pthread_t()
        let work = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<TurnExecutor>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, work)
        precondition(result == 0, "no thread can be started")
        pthread_detach(handle)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(&mutex)
        jobs.append(job)
        pthread_cond_signal(&hasNews)
        pthread_mutex_unlock(&mutex)
    }

    /// Returns when nothing is left to do.
    package func idle() async {
        await withCheckedContinuation { continuation in
            pthread_mutex_lock(&mutex)
            let isIdle = isIdle && jobs.isEmpty
            if !isIdle { watchers.append(continuation) }
            pthread_mutex_unlock(&mutex)
            if isIdle { continuation.resume() }
        }
    }

    /// Ends the thread once it has nothing left to do.
    package func shutDown() {
        pthread_mutex_lock(&mutex)
        isEnding = true
        pthread_cond_signal(&hasNews)
        pthread_mutex_unlock(&mutex)
    }

    private func run() {
        while let next = waitForJobs() {
            for job in next {
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
    }

    private func waitForJobs() -> [UnownedJob]? {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        while jobs.isEmpty {
            isIdle = true
            let ready = watchers
            watchers = []
            // One of them may go on here.
            pthread_mutex_unlock(&mutex)
            for watcher in ready { watcher.resume() }
            pthread_mutex_lock(&mutex)
            guard jobs.isEmpty, watchers.isEmpty else { continue }
            if isEnding { return nil }
            pthread_cond_wait(&hasNews, &mutex)
        }
        isIdle = false
        defer { jobs = [] }
        return jobs
    }
}
