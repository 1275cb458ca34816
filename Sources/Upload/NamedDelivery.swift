import Bridge
import Digest

/// A server that takes whatever it is given: under a temporary name first, and under the photo's own when it is whole.
/// It checks nothing by itself. Names are relative to the destination's folder.
protocol NamingServer: Sendable {
    /// Whether the destination's folder is there.
    func hasFolder() async throws -> Bool
    /// Nothing when there is no file of that name.
    func size(of name: String) async throws -> UInt64?
    /// Writes a photo under a temporary name, and makes the folders that are missing.
    func put(_ photo: FileSlice, under temporary: String, for job: Job) async throws
    /// False when the new name is taken; nothing has changed then.
    func rename(_ name: String, to newName: String) async throws -> Bool
    /// A file that is not there is no failure.
    func remove(_ name: String) async throws
    /// What lies there; nothing where it cannot be found out.
    func digest(of name: String, size: UInt64) async throws -> SHA256Digest?
    /// Throws where what answers is not the server at all, and would call every name taken.
    func confirm() async throws
    /// Whether what failed so may have been done all the same.
    func isAmbiguous(_ error: any Error) -> Bool
}

extension NamingServer {
    /// Most protocols are spoken by nobody else.
    func confirm() async throws {}
}

/// Brings one photo to such a server: hashed before it is sent, its size looked at before it is named, never over
/// another, and "already there" only after size and SHA-256 have been compared.
struct NamedDelivery {
    let job: Job
    /// The folder of the event's whole files.
    let spool: String
    let template: NameTemplate
    /// For messages.
    let host: String
    let names: NamesInHand
    let reader: PhotoReader
    let time: any TimeSource

    /// An end does not wait longer for what lies on a server that is gone.
    private static let patience = Duration.seconds(2)

    var path: String { "\(spool)/\(job.photo.file)" }

    private var folder: String {
        template.components(for: job.facts).dropLast().map { "\($0)/" }.joined()
    }

    /// Beside where it will be, because servers may have a disk for each folder.
    private var temporary: String { "\(folder).tetherline-\(job.key).part" }

    func deliver(to server: some NamingServer) async throws -> DeliveryOutcome {
        _ = try SpooledPhoto.path(of: job, in: spool)
        var hasBegun = false
        do {
            return try await put(on: server, &hasBegun)
        } catch {
            if hasBegun { await cleanUp(server) }
            throw error
        }
    }

    private func put(on server: some NamingServer, _ hasBegun: inout Bool) async throws -> DeliveryOutcome {
        guard let last = template.components(for: job.facts).last else {
            preconditionFailure("a template gives a name")
        }
        let choices = NameChoice(name: last, sha256: job.photo.sha256).names.map { folder + $0 }
        // What was delivered before has its name again, where that is free or still its own.
        for name in [job.formerName].compactMap({ $0 }) + choices {
            // What is there already need not be sent.
            if let size = try await server.size(of: name) {
                guard try await isTwin(name, size, on: server) else {
                    try await server.confirm()
                    continue
                }
                if hasBegun { try await server.remove(temporary) }
                return delivered(name)
            }
            if !hasBegun {
                guard "\(try await reader.digest(path))" == job.photo.sha256 else {
                    throw Undeliverable(outcome: SpooledPhoto.damaged(path))
                }
                hasBegun = true
                try await send(to: server)
            }
            if try await names.holding(name, { try await move(to: name, on: server) }) {
                return delivered(name)
            }
            try await server.confirm()
        }
        return .retryable(NameChoice.exhausted(folder + last))
    }

    private func delivered(_ name: String) -> DeliveryOutcome {
        .delivered(Receipt(key: name, size: job.photo.size, sha256: job.photo.sha256))
    }

    private func send(to server: some NamingServer) async throws {
        try await server.put(FileSlice(path: path, count: job.photo.size), under: temporary, for: job)
        let size = try await server.size(of: temporary)
        guard size == job.photo.size else {
            try await server.confirm()
            throw Undeliverable(
                outcome: .retryable(
                    "\(host) has \(size.map { "\($0)" } ?? "none") of \(job.photo.size) bytes after it said that it "
                        + "has all"))
        }
    }

    /// False when the name has been taken meanwhile by another photo.
    private func move(to name: String, on server: some NamingServer) async throws -> Bool {
        do {
            if try await server.rename(temporary, to: name) { return true }
        } catch  where server.isAmbiguous(error) {
            // It may have been named: what lies there says so.
            guard let size = try await server.size(of: name), try await isTwin(name, size, on: server) else {
                throw error
            }
            return true
        }
        guard let size = try await server.size(of: name), try await isTwin(name, size, on: server) else {
            return false
        }
        try await server.remove(temporary)
        return true
    }

    private func isTwin(_ name: String, _ size: UInt64, on server: some NamingServer) async throws -> Bool {
        guard size == job.photo.size else { return false }
        return try await server.digest(of: name, size: size)?.description == job.photo.sha256
    }

    /// Also when the delivery was taken back, so by a task of its own.
    func cleanUp(_ server: some NamingServer) async {
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
                        try await time.sleep(until: time.now + Self.patience)
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
