import Basics
import CCurl
import Glibc
import Posix

/// Whose certificates are believed. There is no way to believe every one.
struct Trust: Sendable {
    /// As the environment names them.
    private let file: String?
    private let folder: String?
    /// Read once; nothing where only the usual authorities are believed, whose file libcurl reads by itself.
    private let settings: Result<[Option], HTTPFailure>?

    /// More is no list of authorities.
    private static let longestBundle = 16 << 20

    /// The environment's variables are the ones that the curl program obeys.
    init(privateCA: String?, environment: (String) -> String?) {
        let file = environment("CURL_CA_BUNDLE") ?? environment("SSL_CERT_FILE")
        let folder = environment("SSL_CERT_DIR")
        (self.file, self.folder) = (file, folder)
        guard let privateCA else {
            settings = nil
            return
        }
        do throws(HTTPFailure) {
            settings = .success(try Self.sources(privateCA, file: file, folder: folder))
        } catch {
            settings = .failure(error)
        }
    }

    func options() throws(HTTPFailure) -> [Option] {
        guard let settings else { return Self.checks + Self.sources(file: file, folder: folder) }
        return Self.checks + (try settings.get())
    }

    private static let checks: [Option] = [
        .number(CURLOPT_SSL_VERIFYPEER, 1), .number(CURLOPT_SSL_VERIFYHOST, 2),
        .number(CURLOPT_PROXY_SSL_VERIFYPEER, 1), .number(CURLOPT_PROXY_SSL_VERIFYHOST, 2),
        .number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
    ]

    /// What libcurl was built with.
    private static let usual: (file: String?, folder: String?) = {
        let easy = EasyHandle()
        func path(_ info: CURLINFO) -> String? { tl_get_text(easy.pointer, info).map { String(cString: $0) } }
        return (path(CURLINFO_CAINFO), path(CURLINFO_CAPATH))
    }()

    private static func sources(file: String?, folder: String?) -> [Option] {
        let folder = folder ?? (file == nil ? usual.folder : nil)
        // One file, and no folder beside it, is read once and kept.
        let file = file ?? usual.file
        let isFolderNeeded = file == nil || folder != nil && folder != usual.folder
        return [path(CURLOPT_CAINFO, file), path(CURLOPT_CAPATH, isFolderNeeded ? folder : nil)]
    }

    private static func sources(
        _ privateCA: String, file: String?, folder: String?
    ) throws(HTTPFailure) -> [Option] {
        let folder = folder ?? (file == nil ? usual.folder : nil)
        let own = try contents(of: privateCA)
        // A folder is looked into only for the one authority that is needed.
        if file == nil, let folder {
            return [path(CURLOPT_CAINFO, privateCA), path(CURLOPT_CAPATH, folder)]
        }
        let others = try (file ?? usual.file).map { path throws(HTTPFailure) in try contents(of: path) } ?? []
        return [
            .bytes(CURLOPT_CAINFO_BLOB, others + [UInt8(ascii: "\n")] + own), path(CURLOPT_CAPATH, folder),
        ]
    }

    private static func path(_ option: CURLoption, _ path: String?) -> Option {
        path.map { .text(option, $0) } ?? .noText(option)
    }

    private static func contents(of path: String) throws(HTTPFailure) -> [UInt8] {
        do throws(SystemError) {
            return try ReadableFile.contents(of: path, limit: longestBundle)
        } catch {
            throw .invalid("the certificates of trusted authorities cannot be read: \(error)")
        }
    }
}

extension Trust {
    /// A variable that is set to nothing is not set.
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
