import Basics
import HTTPClient
import Posix
import Upload

extension DestinationAddress {
    /// Which folder of a server is meant, where its address leaves that open; nothing where it is what the address says.
    var folder: String? {
        guard case .files(let address) = self else { return nil }
        do throws(HTTPFailure) { return try FilePlace(address.serverURL).folder } catch { return nil }
    }
}

extension Uplink {
    /// A server of files as its destination names it.
    func fileServer(
        _ address: FilesAddress, _ environment: [String: String]
    ) throws(AddressProblem) -> any FileServer {
        let login = try address.login(environment)
        var settings = FileServerSettings(
            user: login.user,
            proof: login.password.map { .password($0) } ?? .key(path: address.keyFile, passphrase: nil))
        settings.security = address.allowsPlain ? .none : .required
        settings.knownHosts = address.knownHosts
        settings.privateCA = privateCA
        do {
            let server = try CurlFileServer(FilePlace(address.serverURL), settings)
            keep(server)
            return server
        } catch {
            throw AddressProblem(description: "\(address.url): \(error)")
        }
    }
}
