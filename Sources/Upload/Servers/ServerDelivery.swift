import Basics
import Bridge
import Digest
import Posix

/// Brings one photo to such a server: hashed before it is sent, its size looked at before it is named, never over
/// another, and "already there" only after size and SHA-256 have been compared.
struct ServerDelivery {
    let job: Job
    let template: NameTemplate
    /// For messages.
    let host: String
    let names: ActiveNames
    let reader: PhotoReader
    let time: any TimeSource

    /// An end does not wait longer for what lies on a server that is gone.
    private static let timeout = Duration.seconds(2)

    var path: String { reader.path(of: job) }

    private var components: [String] { job.components(by: template) }
    private var folder: String { components.dropLast().map { "\($0)/" }.joined() }

    /// Beside where it will be, because servers may have a disk for each folder.
    private var temporary: String { "\(folder).tetherline-\(job.key).part" }

    func deliver(to server: some FolderServer) async throws -> DeliveryOutcome {
        try await reader.expect(job)
        var hasBegun = false
        do {
            return try await put(on: server, &hasBegun)
        } catch {
            if hasBegun { await cleanUp(server) }
            throw error
        }
    }

    private func put(on server: some FolderServer, _ hasBegun: inout Bool) async throws -> DeliveryOutcome {
        guard let last = components.last else { preconditionFailure("a template gives a name") }
        let candidates = NameCandidates(in: folder, last, sha256: job.photo.sha256)
        // What was delivered before has its name again, where that is free or still its own.
        var walk = NameWalk(
            preferred: [job.formerName].compactMap { $0 }, candidates, size: job.photo.size)
        var lost: (any Error)?
        while true {
            let name = walk.name
            switch walk.step {
            case .look(let name):
                walk.saw(try await server.size(of: name).map { .file(size: $0) } ?? .nothing)
            case .compare(let name): walk.compared(isSame: try await isTwin(name, on: server))
            case .claim(let name):
                if !hasBegun {
                    try await reader.confirm(job)
                    hasBegun = true
                    try await send(to: server)
                }
                do {
                    let isDone = try await names.holding(name) {
                        try await server.rename(temporary, to: name)
                    }
                    walk.claimed(isDone ? .done : .taken)
                } catch  where server.isAmbiguous(error) {
                    lost = error
                    walk.claimed(.unknown)
                }
            case .ended(.has(let name, let wasThere)):
                if wasThere, hasBegun { try await server.remove(temporary) }
                return .delivered(Receipt(key: name, size: job.photo.size, sha256: job.photo.sha256))
            case .ended(.noneFree):
                return .retryable(
                    "\(FileNameFailure.noneFree(path: candidates.wanted, tried: candidates.count))")
            case .ended(.contested(let name)):
                return .retryable("\(FileNameFailure.contested(name, place: host))")
            case .ended(.unclaimed):
                guard let lost else { preconditionFailure("a claim is in doubt where its answer was lost") }
                throw lost
            }
            // What calls a name taken, and is not the server, would call every name taken.
            if walk.hasMoved(from: name) { try await server.confirm() }
        }
    }

    private func send(to server: some FolderServer) async throws {
        try await server.put(FileSlice(path: path, count: job.photo.size), under: temporary, for: job)
        let size = try await server.size(of: temporary)
        guard size == job.photo.size else {
            try await server.confirm()
            throw Undeliverable(
                outcome: .retryable(
                    "\(ServerFailure.incomplete(host: host, has: size, of: job.photo.size))"))
        }
    }

    private func isTwin(_ name: String, on server: some FolderServer) async throws -> Bool {
        try await server.digest(of: name, size: job.photo.size)?.description == job.photo.sha256
    }

    func test(on server: some FolderServer) async throws -> DeliveryOutcome {
        let outcome = try await deliver(to: server)
        guard case .delivered(let receipt) = outcome, case .key(let name) = receipt.place else {
            return outcome
        }
        let found: Result<SHA256Digest?, any Error>
        do {
            found = .success(try await server.digest(of: name, size: receipt.size))
        } catch {
            found = .failure(error)
        }
        try await server.remove(name)
        guard try found.get()?.description == receipt.sha256 else {
            return .retryable("\(ServerFailure.notReadBack(name: name, place: host))")
        }
        guard try await server.size(of: name) == nil else {
            return .retryable("\(ServerFailure.notRemoved(name: name, place: host))")
        }
        return outcome
    }

    /// Also when the delivery was taken back, so by a task of its own.
    func cleanUp(_ server: some FolderServer) async {
        await Task { [temporary, time] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await server.remove(temporary)
                    } catch {
                        // The next try puts it anew under the same name.
                        return
                    }
                }
                group.addTask {
                    do {
                        try await time.sleep(until: time.now + Self.timeout)
                    } catch {
                        // It has been removed.
                        return
                    }
                }
                await group.next()
                group.cancelAll()
            }
        }.value
    }
}
