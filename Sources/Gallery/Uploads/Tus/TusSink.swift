import Basics
import HTTPServer
import Posix
import Synchronization

/// The bytes of one request on their way into a file of this machine, and from there into the storage. Where the connection
/// is cut, what has come is kept.
final class TusSink: BodySink {
    private let keeper: TusKeeper
    private let piece: TusPiece
    private let file: StagedFile
    private let checksum: TusChecksum?
    private let answer: @Sendable (Result<TusUpload, any Error>) -> Response
    private let renewal: Task<Void, Never>
    /// Whose bytes they are, also when their connection is cut, which happens in no task.
    private let request = Request.answeredID
    private let progress = Mutex(Progress())

    private struct Progress {
        var written: UInt64 = 0
        var hasFailed = false
        var hasEnded = false
    }

    /// These bytes are others than the client has sent.
    struct Damaged: Error {}

    init(
        _ piece: TusPiece, _ file: StagedFile, _ checksum: TusChecksum?, _ keeper: TusKeeper,
        answer: @escaping @Sendable (Result<TusUpload, any Error>) -> Response
    ) {
        self.keeper = keeper
        self.piece = piece
        self.file = file
        self.checksum = checksum
        self.answer = answer
        renewal = Task { await keeper.renew(piece.upload, holder: piece.holder) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        let offset = progress.withLock(\.written)
        do {
            try file.write(bytes, at: offset)
        } catch {
            progress.withLock { $0.hasFailed = true }
            throw error
        }
        checksum?.update(bytes)
        progress.withLock { $0.written += UInt64(bytes.count) }
    }

    func finish() async -> Response {
        let written = progress.withLock { progress in
            progress.hasEnded = true
            return progress.written
        }
        if let checksum, !checksum.isRight() {
            await drop()
            return answer(.failure(Damaged()))
        }
        // A client that leaves now has sent everything: it counts.
        return answer(await Task { await kept(written) }.value)
    }

    private func kept(_ size: UInt64) async -> Result<TusUpload, any Error> {
        do {
            let upload = try await keeper.keep(file, size: size, of: piece)
            renewal.cancel()
            return .success(upload)
        } catch {
            await drop()
            return .failure(error)
        }
    }

    /// A part of what a checksum is about cannot be checked.
    func abandon() {
        let rest = progress.withLock { progress -> UInt64? in
            guard !progress.hasEnded else { return nil }
            progress.hasEnded = true
            return progress.hasFailed || checksum != nil ? 0 : progress.written
        }
        guard let rest else { return }
        // Who calls waits for nothing; the lease is kept until this has come to its end.
        Task { [self] in
            await Request.$answeredID.withValue(request) { await keepRest(rest) }
        }
    }

    private func keepRest(_ rest: UInt64) async {
        guard rest > 0 else { return await drop() }
        if case .failure(let error) = await kept(rest) {
            keeper.log("\(rest) bytes of upload \(piece.upload) were lost with their connection: \(error)")
        } else {
            await keeper.release(piece)
        }
    }

    private func drop() async {
        renewal.cancel()
        do {
            try await keeper.discard(file)
        } catch {
            // The next start removes it.
            keeper.log("what has come of upload \(piece.upload) could not be removed: \(error)")
        }
        await keeper.release(piece)
    }
}
