package import Basics
import Imaging
import Posix
package import Rendering

/// Pictures of photos in the spool: the camera's own at once, sharper ones from a child process that gives way to all else.
///
/// What was asked for last comes first, because that is what a person looks at. After each rendering the child rests for
/// longer than it worked, so that looking never costs the bridge more than a part of one processor.
package actor LocalPictures: PictureSource {
    private struct Order {
        let file: String
        let key: PictureShelf.Key
        var answers: [CheckedContinuation<PictureAnswer, Never>]
    }

    package nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let pool: RenderPool
    private let folder: String
    private let time: any TimeSource
    private var shelf = PictureShelf(limit: LocalPictures.mostBytes)
    private var waiting: [Order] = []
    /// Of which it is known that nothing can be made.
    private var barren: Set<PictureShelf.Key> = []
    private var made = 0
    private var isOver = false
    private nonisolated let signal = Signal()

    private static let mostBytes = 32 << 20
    private static let mostWaiting = 40
    private static let mostBarren = 10_000
    /// Of one picture; a tenth is usual.
    private static let longest: UInt64 = 4 << 20
    /// So much longer than it worked.
    private static let rest = 2

    /// `folder` is for what is being made; nothing else may lie there.
    package init(
        pool: RenderPool, folder: String, time: any TimeSource, executor: any SerialExecutor & TaskExecutor
    ) {
        self.pool = pool
        self.folder = folder
        self.time = time
        self.executor = executor
    }

    package func picture(of photo: PicturedPhoto, _ size: PictureSize) async -> PictureAnswer {
        guard let file = photo.path else { return .none }
        let key = PictureShelf.Key(photo: photo.key, size: size)
        if let bytes = shelf.take(key) { return .jpeg(bytes) }
        if barren.contains(key) { return .none }
        guard size.edge != nil else { return cameras(file, key) }
        return await withCheckedContinuation { answer in
            if isOver { return answer.resume(returning: .busy) }
            if let index = waiting.firstIndex(where: { $0.key == key }) {
                waiting[index].answers.append(answer)
            } else {
                waiting.append(Order(file: file, key: key, answers: [answer]))
            }
            if waiting.count > Self.mostWaiting { end(waiting.removeFirst(), .busy) }
            signal.fire()
        }
    }

    /// For tests: how many pictures are waited for.
    var waitingCount: Int { waiting.count }

    private func end(_ order: Order, _ answer: PictureAnswer) {
        for waiter in order.answers { waiter.resume(returning: answer) }
    }

    private func cameras(_ path: String, _ key: PictureShelf.Key) -> PictureAnswer {
        do throws(SystemError) {
            let file = try ReadableFile(path: path)
            let head = try file.read(0..<min(file.size, UInt64(EmbeddedThumbnail.lookedAt)))
            guard let picture = EmbeddedThumbnail.jpeg(in: head) else { return none(key) }
            shelf.put(picture, for: key)
            return .jpeg(picture)
        } catch {
            // The file has just been removed, or cannot be read: the page shows the photo's name then.
            return .none
        }
    }

    private func none(_ key: PictureShelf.Key) -> PictureAnswer {
        if barren.count < Self.mostBarren { barren.insert(key) }
        return .none
    }

    // MARK: Rendering

    /// Until the task is cancelled.
    package func run() async {
        let rendering = Task(executorPreference: executor) { [pool] in await pool.run() }
        while !Task.isCancelled {
            guard let order = next() else {
                await signal.waitUnlessCancelled()
                continue
            }
            let began = time.now
            end(order, await render(order))
            do {
                try await time.sleep(until: time.now + (time.now - began) * Self.rest)
            } catch {
                break
            }
        }
        isOver = true
        for order in waiting { end(order, .busy) }
        waiting = []
        rendering.cancel()
        await rendering.value
    }

    /// One that fills a screen was opened by a person a moment ago.
    private func next() -> Order? {
        if let index = waiting.lastIndex(where: { $0.key.size == .screen }) {
            return waiting.remove(at: index)
        }
        return waiting.popLast()
    }

    private func render(_ order: Order) async -> PictureAnswer {
        // It may have been made for another who asked while this one waited.
        if let bytes = shelf.take(order.key) { return .jpeg(bytes) }
        guard let edge = order.key.size.edge else { return .none }
        made += 1
        let name = "\(made).jpg"
        do {
            let file = try ReadableFile(path: order.file)
            let head = try file.read(0..<min(file.size, UInt64(PictureKind.length)))
            guard let kind = PictureKind(head) else { return none(order.key) }
            let job = RenderJob(
                file: order.file, declaredType: kind.mediaType,
                renditions: [RenditionRequest(path: "\(folder)/\(name)", edge: edge)])
            _ = try await pool.render(job)
            return try collect(name, for: order.key)
        } catch let problem as RenderProblem {
            return problem.isCurable ? .busy : none(order.key)
        } catch {
            return .none
        }
    }

    private func collect(_ name: String, for key: PictureShelf.Key) throws(SystemError) -> PictureAnswer {
        let file = try ReadableFile(path: "\(folder)/\(name)")
        let bytes = file.size <= Self.longest ? try file.read(0..<file.size) : []
        try Directory(path: folder).remove(name)
        guard !bytes.isEmpty else { return none(key) }
        shelf.put(bytes, for: key)
        return .jpeg(bytes)
    }
}
