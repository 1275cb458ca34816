import Basics
import HTTPServer

/// Who may bring bytes by the protocol, and where their uploads are.
protocol TusAuthority: Sendable {
    /// Where uploads are made, without a slash at the end.
    func path(_ request: Request) -> String
    /// Who asks for an upload: judged before anything else of the request is.
    func admit(_ request: Request) async throws -> TusAdmission
    /// How many bytes a file may have, of whatever type.
    var largest: UInt64 { get }
    /// How many bytes a file of that type may have. Types that are not taken are refused.
    func limit(of contentType: String) throws(APIError) -> UInt64
    /// What is asked for, as fields of a request for a place.
    func wish(_ metadata: TusMetadata, length: UInt64, for admission: TusAdmission) -> JSONValue
    /// The upload, and headers for the one who asked.
    func begin(
        _ wish: UploadWish, metadata: TusMetadata, text: String, for admission: TusAdmission,
        _ request: Request
    ) async throws -> (upload: TusUpload, headers: [HTTPHeader])
    /// Whose upload a later request may be about.
    func uploader(of request: Request) async throws -> Uploader
    func json(_ upload: TusUpload, isThereAlready: Bool) async throws -> JSONValue
}

struct TusAdmission: Sendable {
    let uploader: Uploader
    /// It is not known to its browser yet.
    var isNew = false
}

/// Hosts and their bridges, by their accounts.
struct AccountTus: TusAuthority {
    let store: StorePool
    let accounts: Accounts
    let settings: GallerySettings

    func path(_ request: Request) -> String { TusEndpoints.path }

    func admit(_ request: Request) async throws -> TusAdmission {
        TusAdmission(uploader: try await uploader(of: request))
    }

    var largest: UInt64 { settings.largestUpload }

    /// Whether it is one that is taken is found with the other fields.
    func limit(of contentType: String) -> UInt64 { settings.limit(of: contentType) }

    func wish(_ metadata: TusMetadata, length: UInt64, for admission: TusAdmission) -> JSONValue {
        metadata.wish(length: length)
    }

    func begin(
        _ wish: UploadWish, metadata: TusMetadata, text: String, for admission: TusAdmission,
        _ request: Request
    ) async throws -> (upload: TusUpload, headers: [HTTPHeader]) {
        guard case .account(let account) = admission.uploader else { throw APIError.notFound("event") }
        let upload = try await store {
            try $0.beginTus(wish, metadata: text, for: account, consent: settings.consentVersion)
        }
        return (upload, [])
    }

    func uploader(of request: Request) async throws -> Uploader {
        .account(try await accounts.authenticate(request).id)
    }

    func json(_ upload: TusUpload, isThereAlready: Bool) -> JSONValue {
        upload.json(isThereAlready: isThereAlready)
    }
}
