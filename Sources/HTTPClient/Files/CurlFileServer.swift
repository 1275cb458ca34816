package import Basics
import CCurl
package import Posix
import Synchronization

/// A server of files behind libcurl: SFTP, FTP, and FTP over TLS.
///
/// It has a thread of its own. Logging out waits for the answer of the server, and must not hold up other transfers.
package final class CurlFileServer: FileServer {
    private let place: FilePlace
    private let settings: FileServerSettings
    private let limits: HTTPLimits
    private let thread: CurlThread

    package init(
        _ place: FilePlace, _ settings: FileServerSettings, limits: HTTPLimits = HTTPLimits()
    ) throws(SystemError) {
        thread = try CurlThread(name: "files")
        self.place = place
        self.settings = settings
        self.limits = limits
    }

    package func shutDown() async {
        await thread.shutDown()
    }

    package func forgetConnections() {
        thread.post(.forgetConnections)
    }

    package func setRate(bytesPerSecond: UInt64?, forPath path: String) {
        thread.post(.setRate(bytesPerSecond, path: path))
    }

    // MARK: What is asked of it

    package func upload(
        _ slice: FileSlice, to path: String, share: String?, onSent: (@Sendable (UInt64) -> Void)?
    ) async throws(FileServerFailure) {
        let target = try place.resolve(path)
        var options: [Option] = [
            .number(CURLOPT_UPLOAD, 1), .large(CURLOPT_INFILESIZE_LARGE, slice.count),
            RequestOptions.uploadBuffer(for: slice.count),
        ]
        if place.isSFTP { options.append(.number(CURLOPT_FTP_CREATE_MISSING_DIRS, 1)) }
        let body = HTTPBody.file(slice)
        do throws(FileServerFailure) {
            try await perform(target.url, options, body: body, share: share, onSent: onSent, path: path)
        } catch .refused(_, let code) where !place.isSFTP && [550, 553].contains(code) {
            // Most likely a folder is missing. The star: one that is there already is no failure.
            options.append(.list(CURLOPT_QUOTE, target.folders.map { "*MKD \($0)" }))
            try await perform(target.url, options, body: body, share: share, onSent: onSent, path: path)
        } catch .refused(let text, let code) where place.isSFTP {
            // SFTP has no word for a full disk.
            if let free = await freeBytes(), free < slice.count {
                throw .noRoom(
                    "the disk of \(place.peer) is full: \(Human.bytes(free)) are free, and '\(path)' has "
                        + "\(Human.bytes(slice.count))")
            }
            throw .refused(text, code: code)
        }
    }

    /// On the disk of the folder, where an SFTP server says it.
    private func freeBytes() async -> UInt64? {
        do throws(FileServerFailure) {
            let told = try await perform(
                place.folderURL,
                [.number(CURLOPT_NOBODY, 1), .list(CURLOPT_QUOTE, ["statvfs \(place.quotedFolder)"])],
                sink: .answer(limit: 4096), path: "")
            func fact(_ name: String) -> UInt64? {
                told.headers.first { $0.name == name }.flatMap { UInt64($0.value) }
            }
            guard let blocks = fact("f_bavail"), let size = fact("f_frsize") else { return nil }
            let (bytes, isBeyond) = blocks.multipliedReportingOverflow(by: size)
            return isBeyond ? nil : bytes
        } catch {
            // Why the photo was refused is told all the same.
            return nil
        }
    }

    package func size(of path: String) async throws(FileServerFailure) -> UInt64? {
        let target = try place.resolve(path)
        do throws(FileServerFailure) {
            if let size = try await told(target, path) { return size }
            // "450: file unavailable (e.g., file busy)" (RFC 959 §5.4) is what some say of a file that is not there.
            guard try await isListed(target, path) else { return nil }
            // It may have come in between.
            if let size = try await told(target, path) { return size }
            throw .refused("\(place.peer) does not say how large '\(path)' is", code: 0)
        } catch .missing {
            return nil
        }
    }

    /// What the server says of its size, where it says anything.
    private func told(
        _ target: FilePlace.Target, _ path: String
    ) async throws(FileServerFailure) -> UInt64? {
        let ending = try await perform(target.url, [.number(CURLOPT_NOBODY, 1)], path: path)
        // Of an empty file libcurl says nothing when it is SFTP's.
        return UInt64(exactly: place.isSFTP ? max(0, ending.size) : ending.size)
    }

    /// More names than any usable folder has.
    private static let longestList = 16 << 20

    /// Whether its folder's list has it.
    private func isListed(
        _ target: FilePlace.Target, _ path: String
    ) async throws(FileServerFailure) -> Bool {
        let list = Mutex<[UInt8]>([])
        let take: @Sendable (UnsafeRawBufferPointer) -> Bool = { piece in
            let more = Array(piece)
            return list.withLock { list in
                list += more
                return list.count <= Self.longestList
            }
        }
        do throws(FileServerFailure) {
            try await perform(
                target.folderURL, [.number(CURLOPT_DIRLISTONLY, 1)], sink: .stream(take), path: path)
        } catch .missing {
            return false
        }
        let name = Array(target.plain.utf8.split(separator: UInt8(ascii: "/")).last ?? [])
        // Some give paths and not names.
        return list.withLock { $0 }.split { $0 == 0x0A || $0 == 0x0D }.contains { line in
            line.split(separator: UInt8(ascii: "/")).last.map(Array.init) == name
        }
    }

    /// Of FTP the folder is entered, because some give no list of one that is empty; of SFTP its list is begun.
    package func hasFolder() async throws(FileServerFailure) -> Bool {
        let isListed = Mutex(false)
        let begins: @Sendable (UnsafeRawBufferPointer) -> Bool = { _ in
            isListed.withLock { $0 = true }
            return false
        }
        do throws(FileServerFailure) {
            if place.isSFTP {
                try await perform(
                    place.listURL, [.number(CURLOPT_DIRLISTONLY, 1)], sink: .stream(begins), path: "")
            } else {
                // By a connection of its own: names may be relative to where the log-in leads.
                try await perform(
                    place.folderURL,
                    [
                        .number(CURLOPT_NOBODY, 1),
                        .list(CURLOPT_QUOTE, [place.folderName.map { "CWD \($0)" } ?? "PWD"]),
                        .number(CURLOPT_FRESH_CONNECT, 1), .number(CURLOPT_FORBID_REUSE, 1),
                    ], path: "")
            }
            return true
        } catch .missing {
            return false
        } catch .refused(_, let code) where code == 550 {
            return false
        } catch {
            if isListed.withLock({ $0 }) { return true }
            throw error
        }
    }

    package func read(
        _ path: String, _ take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(FileServerFailure) {
        let target = try place.resolve(path)
        try await perform(target.url, [], sink: .stream { take($0.bytes) }, path: path)
    }

    package func rename(_ path: String, to newPath: String) async throws(FileServerFailure) -> Bool {
        let (old, new) = (try place.resolve(path), try place.resolve(newPath))
        // FTP would put it over what is there; SFTP refuses, and does not say why.
        if try await size(of: newPath) != nil { return false }
        do throws(FileServerFailure) {
            try await command(
                place.isSFTP
                    ? ["rename \(old.quoted) \(new.quoted)"] : ["RNFR \(old.plain)", "RNTO \(new.plain)"],
                about: path)
            return true
        } catch .refused(let text, let code) {
            if try await size(of: newPath) != nil, try await size(of: path) != nil { return false }
            throw .refused(text, code: code)
        }
    }

    package func remove(_ path: String) async throws(FileServerFailure) {
        let target = try place.resolve(path)
        do throws(FileServerFailure) {
            try await command([place.isSFTP ? "rm \(target.quoted)" : "DELE \(target.plain)"], about: path)
        } catch .refused(let text, let code) {
            if try await size(of: path) != nil { throw .refused(text, code: code) }
        }
    }

    // MARK: How

    /// Nothing is transferred, so the folder itself will do.
    private func command(_ words: [String], about path: String) async throws(FileServerFailure) {
        try await perform(
            place.folderURL, [.number(CURLOPT_NOBODY, 1), .list(CURLOPT_QUOTE, words)], path: path)
    }

    @discardableResult
    private func perform(
        _ url: String, _ more: [Option], body: HTTPBody = .none, sink: Order.Sink = .stream { _ in true },
        share: String? = nil, onSent: (@Sendable (UInt64) -> Void)? = nil, path: String
    ) async throws(FileServerFailure) -> TransferResult {
        var options: [Option] = [
            .text(CURLOPT_URL, url), .text(CURLOPT_PROTOCOLS_STR, place.scheme),
            .number(CURLOPT_PATH_AS_IS, 1),
            // Every path is whole, wherever an earlier command has led.
            .number(CURLOPT_FTP_FILEMETHOD, Int(CURLFTPMETHOD_NOCWD.rawValue)),
            .number(
                CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(limits.noProgress.wholeMilliseconds / 1000))),
        ]
        options += RequestOptions.connection(limits, interface: nil)
        do throws(HTTPFailure) {
            options += try settings.options(for: place)
        } catch {
            throw .invalid("\(error)")
        }
        // Each connection for commands has a session, and its bytes come by that session and no other's.
        let isAlone = settings.isSecure(place) && !place.isSFTP
        if isAlone { options += [.number(CURLOPT_FRESH_CONNECT, 1), .number(CURLOPT_FORBID_REUSE, 1)] }
        let ending = await thread.perform(
            Order(
                options: options + more, body: body, sink: sink, limits: limits, path: share, onSent: onSent,
                isAlone: isAlone))
        if let failure = ending.fileServerFailure(at: place, path, settings) { throw failure }
        return ending
    }
}
