import Basics
import Digest
package import HTTPServer
import Posix

/// Takes bytes from outside into a folder: `PUT /objects/{key}`, for clients with a URL that was signed here.
package final class FolderUploadEndpoint: Sendable {
    package static let pattern = "/objects/{key}"

    private let signature: PlaceSignature
    private let publicURL: String
    private let folder: ObjectFolder
    private let threads: DiskThreads
    private let wall: any WallTime
    private let random: any RandomSource
    private let onLanded: @Sendable (_ key: String) -> Void

    init(
        signature: PlaceSignature, publicURL: String, folder: ObjectFolder, threads: DiskThreads,
        wall: any WallTime, random: any RandomSource, onLanded: @escaping @Sendable (_ key: String) -> Void
    ) {
        self.signature = signature
        self.publicURL = publicURL
        self.folder = folder
        self.threads = threads
        self.wall = wall
        self.random = random
        self.onLanded = onLanded
    }

    /// For the server's table.
    package var route: Route {
        Route("PUT", Self.pattern, .intake { [self] request in await intake(request) })
    }

    func place(_ claim: PlaceClaim) -> UploadTarget {
        ObjectKey.require(claim.key)
        return UploadTarget(
            url: "\(publicURL)/objects/\(claim.key)?\(signature.query(for: claim))",
            requiredHeaders: Self.requiredHeaders(claim))
    }

    /// What both kinds of storage ask to be sent with the bytes.
    static func requiredHeaders(_ claim: PlaceClaim) -> [HTTPHeader] {
        var headers = [
            HTTPHeader("Content-Type", claim.contentType), HTTPHeader("Content-Length", "\(claim.length)"),
            HTTPHeader("If-None-Match", "*"),
        ]
        if let hash = claim.sha256.flatMap(SHA256Digest.init(hex:)) {
            headers.append(HTTPHeader(ChecksumHeader.name, Base64.text(hash.bytes)))
        }
        return headers
    }

    package func intake(_ request: Request) async -> Intake {
        do {
            let claim = try signature.claim(of: request)
            guard claim.expiresAt > wall.wallNow else {
                throw APIError(.forbidden, "this URL has expired; ask for a new one")
            }
            if request["Content-Length"] == nil { return .refuse(Self.lengthRequired) }
            try Self.check(request, against: claim)
            return .take(try await sink(for: claim), limit: claim.length)
        } catch let error as APIError {
            return .refuse(error.response)
        } catch let error as SystemError {
            return .refuse(Self.answer(to: error).response)
        } catch {
            return .refuse(APIError(.internalError, "the storage failed").response)
        }
    }

    private func sink(for claim: PlaceClaim) async throws -> FolderSink {
        let name = "\(claim.key).\(FolderStorage.unique(random)).part"
        let (folder, key, length) = (folder, claim.key, claim.length)
        let file = try await threads.perform { () throws(SystemError) -> StagedFile? in
            if try folder.tree.size(of: key) != nil { return nil }
            let file = try StagedFile(in: folder.incoming, partialName: name, mode: 0o600)
            do throws(SystemError) {
                try file.preallocate(length)
            } catch {
                try file.discard()
                throw error
            }
            return file
        }
        guard let file else { throw Self.alreadyThere }
        return FolderSink(file, claim, folder: folder, threads: threads, onLanded: onLanded)
    }

    /// "With exactly the required headers": a signature covers them, so that others are others' requests.
    private static func check(_ request: Request, against claim: PlaceClaim) throws(APIError) {
        guard request["Content-Type"] == claim.contentType else {
            throw APIError(.forbidden, "Content-Type has to be \(claim.contentType), as it was signed")
        }
        guard request["If-None-Match"] == "*" else {
            throw APIError(.forbidden, "If-None-Match has to be *, as it was signed")
        }
        guard request["Content-Length"] == String(claim.length) else {
            throw APIError(.badRequest, "Content-Length has to be \(claim.length), as it was announced")
        }
        guard let hash = claim.sha256.flatMap(SHA256Digest.init(hex:)) else { return }
        guard request[ChecksumHeader.name] == Base64.text(hash.bytes) else {
            throw APIError(.badRequest, "\(ChecksumHeader.name) is not the SHA-256 that was announced")
        }
    }

    static let alreadyThere = APIError(.preconditionFailed, "the bytes are there already")

    static func answer(to error: SystemError) -> APIError {
        // What failed on which file is the operator's business, and in the log.
        error.kind == .noRoom ? .diskFull : APIError(.internalError, "the storage failed")
    }

    /// RFC 9110 §15.5.12; how long it is was signed, and a body of unknown length would be found out only at its end.
    private static let lengthRequired = Response.json(
        411,
        ["error": ["code": "BAD_REQUEST", "message": "Content-Length is missing"]])
}
