public import Digest
public import PTP

/// How to get the bytes of an object.
public enum FetchPlan: Equatable, Sendable {
    /// One GetObject: the fastest way, and all or nothing.
    case whole
    /// GetPartialObject in parts, from an offset: what a cut download goes on with, and what some cameras
    /// need for large objects. `size` is where it ends; where that is unknown, it ends when nothing more comes.
    case parts(
        of: UInt32, from: UInt64, size: UInt64?, by: [PartOperation] = PartOperation.standard)

    /// "1 MiB steps": what works with every camera that has partial reads at all.
    public static let usualPart: UInt32 = 1 << 20
}

/// What arrived.
public struct Fetched: Equatable, Sendable {
    /// Bytes that came in this fetch, not counting what was there before.
    public let received: UInt64
    /// What the camera announced before the bytes, where it announced anything.
    public let announced: UInt64?
    /// In so many parts; 0 for a whole object.
    public let parts: Int
}

extension CameraSession {
    /// Brings an object's bytes into `sink`, in order, and through `hasher` on a second thread beside it.
    ///
    /// Returns when the sink has everything. Throws when the connection ends, the camera refuses, or the sink
    /// fails; what has been written then is a true prefix of the object. `noProgress` is how long not a byte may
    /// come, where the usual timeout does not fit; in parts it is for each of them. A whole object of more than `atMost`
    /// bytes fails.
    public func fetch(
        _ object: ObjectHandle, _ plan: FetchPlan, into sink: any PayloadSink, hasher: SHA256? = nil,
        workers: PhotoWorkers, noProgress: Duration? = nil, atMost: UInt64 = .max,
        onMoved: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) async throws(CameraError) -> Fetched {
        let ring = BufferRing(buffers: workers.buffers.all(), consumers: hasher == nil ? 1 : 2)
        let start: UInt64
        switch plan {
        case .whole: start = 0
        case .parts(_, let from, _, _): start = from
        }
        let intake = Intake(ring, from: start, onMoved: onMoved)
        let result = await withTaskGroup(of: Void.self, returning: Result<Fetched, CameraError>.self) {
            group in
            group.addTask { await workers.writer.consume(ring, as: 0) { try sink.write($0, at: $1) } }
            if let hasher {
                group.addTask {
                    await workers.hasher.consume(ring, as: 1) { bytes, _ in hasher.update(bytes) }
                }
            }
            defer { ring.finish() }
            do throws(CameraError) {
                let fetched = try await bring(object, plan, noProgress, atMost: atMost, intake)
                intake.flush()
                return .success(fetched)
            } catch {
                // What arrived before the cut is worth keeping.
                intake.flush()
                return .failure(error)
            }
        }
        if let failure = ring.failure { throw error(.consumer(failure), "object \(object)") }
        return try result.get()
    }

    private func bring(
        _ object: ObjectHandle, _ plan: FetchPlan, _ noProgress: Duration?, atMost: UInt64, _ intake: Intake
    ) async throws(CameraError) -> Fetched {
        switch plan {
        case .whole:
            let limit = min(atMost, options.largestObject)
            let reply = try await demand(
                Call(
                    .getObject, [object.rawValue], data: .streamed(limit: limit), noProgress: noProgress),
                into: intake, about: "object \(object)")
            return Fetched(received: reply.received, announced: reply.announced, parts: 0)
        case .parts(let part, let from, let size, let operations):
            if let size, size > options.largestObject {
                throw error(.tooLarge(size: size, limit: options.largestObject), "object \(object)")
            }
            return try await bringParts(
                object, part: part, from: from, size: size, operations, noProgress, intake)
        }
    }

    private func bringParts(
        _ object: ObjectHandle, part: UInt32, from start: UInt64, size: UInt64?,
        _ operations: [PartOperation], _ noProgress: Duration?, _ intake: Intake
    ) async throws(CameraError) -> Fetched {
        var position = start
        var parts = 0
        let end = size ?? options.largestObject
        while position < end {
            let count = UInt32(min(UInt64(part), end - position))
            var call = try partialCall(object, at: position, count, operations)
            call.noProgress = noProgress
            let reply: Reply
            do throws(CameraError) {
                reply = try await demand(call, into: intake, about: "object \(object)")
            } catch {
                // Where the end is unknown, some bodies tell it by a refusal: there is nothing at that offset.
                guard size == nil, position > start, error.isRefusal else { throw error }
                break
            }
            // An empty part before the end would be asked for again for ever.
            guard reply.received > 0 else { break }
            position += reply.received
            parts += 1
        }
        return Fetched(received: position - start, announced: size.map { $0 - start }, parts: parts)
    }

    /// A few bytes of an object, in memory.
    func part(
        of object: ObjectHandle, _ range: Range<UInt64>,
        by operations: [PartOperation] = PartOperation.standard,
        noProgress: Duration? = nil
    ) async throws(CameraError) -> [UInt8] {
        var call = try partialCall(object, at: range.lowerBound, UInt32(range.count), operations)
        call.data = .piece(limit: range.count)
        call.noProgress = noProgress
        return try await demand(call, about: "object \(object)").data
    }

    /// The first of the operations that reaches the offset.
    private func partialCall(
        _ object: ObjectHandle, at offset: UInt64, _ count: UInt32, _ operations: [PartOperation]
    ) throws(CameraError) -> Call {
        guard let operation = operations.first(where: { $0.reaches(offset) }) ?? operations.last else {
            throw error(.notSupported(.getPartialObject), "object \(object)")
        }
        return operation.call(object, at: offset, count)
    }
}
