import Basics
import HTTPServer
import Imaging
import Posix
import Rendering

/// `/events/{id}/logo`: a logo comes as the body of one request, and is made anew as every picture from outside is: by a renderer,
/// in a process of its own. What it was sent as is kept nowhere.
struct LogoEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let accounts: Accounts
    let storage: any ObjectStorage
    let renderer: any Renderer
    let settings: GallerySettings
    let reserve: DiskReserve?
    private let threads = DiskThreads(count: 1)

    func put(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        _ = try await reader { try $0.event(id, of: account.id) }
        guard let type = request["Content-Type"]?.lowercased(), EventLogo.types.contains(type) else {
            throw Self.refusal("must be sent with the Content-Type image/png or image/jpeg, as what it is")
        }
        guard !request.body.isEmpty else { throw Self.refusal("must not be empty") }
        guard request.body.count <= EventLogo.mostBytes else {
            throw APIError(.payloadTooLarge, "a logo has at most \(EventLogo.mostBytes) bytes")
        }
        guard reserve?.hasRoom() ?? true else { throw APIError.diskFull }
        let key = try await store { try $0.logoKey() }
        let logo = try await make(key, of: request.body, type)
        let event = try await store { try $0.setLogo(logo, of: id, by: account.id) }
        return .data(event.json(publicURL: settings.publicURL))
    }

    func delete(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        return .data(
            try await store { try $0.setLogo(nil, of: id, by: account.id) }.json(
                publicURL: settings.publicURL))
    }

    /// It lies in the storage when this returns, under a key that is swept until an event has it.
    private func make(_ key: String, of bytes: [UInt8], _ type: String) async throws -> EventLogo {
        let (name, folder) = ("\(key).logo", storage.workshop)
        try await threads.store { () throws(SystemError) in
            let file = try StagedFile(in: Directory(path: folder), partialName: name, mode: 0o600)
            try file.write(bytes, at: 0)
        }
        let result = await render("\(folder)/\(name)", type, to: "\(folder)/\(key).png")
        try await threads.store { () throws(SystemError) in try Directory(path: folder).remove(name) }
        let made = try result.get()
        do throws(StorageProblem) {
            try await storage.keep("\(folder)/\(key).png", as: key, type: EventLogo.type)
        } catch {
            try await discard("\(key).png", in: folder)
            throw error
        }
        return EventLogo(key: key, size: made.size, width: made.width, height: made.height)
    }

    private func discard(_ name: String, in folder: String) async throws {
        do throws(StorageProblem) {
            try await threads.store { () throws(SystemError) in try Directory(path: folder).remove(name) }
        } catch {
            // The storage has taken it over.
            guard error.meaning == .missing else { throw error }
        }
    }

    private func render(
        _ file: String, _ type: String, to target: String
    ) async -> Result<(size: UInt64, width: Int, height: Int), any Error> {
        let wanted = RenditionRequest(path: target, edge: EventLogo.edge, isDrawing: true)
        let job = RenderJob(
            file: file, declaredType: type, renditions: [wanted], longestSide: EventLogo.longestSide)
        do throws(RenderProblem) {
            let made = try await renderer.render(job).renditions[0]
            return .success((made.size, made.width, made.height))
        } catch {
            return .failure(Self.error(error))
        }
    }

    /// What is wrong with the picture is its host's business; the rest passes.
    private static func error(_ problem: RenderProblem) -> any Error {
        switch problem.code {
        case .storage: problem
        case .stopped:
            APIError(.serviceUnavailable, "the server is being stopped; send the logo again in a moment")
        case .notAnImage, .typeMismatch, .truncated, .tooLarge, .unsupported, .timeout, .crashed:
            refusal("cannot be used: \(problem.description)")
        }
    }

    private static func refusal(_ sentence: String) -> APIError {
        APIError(.unprocessable, "the logo \(sentence)", fields: [("logo", [sentence])])
    }
}
