import Camera
import Posix
import Store

extension Home {
    private static let identityFile = "identity"

    /// The name by which cameras know us. Made once: to a paired camera it is the password.
    func identity(named name: String) throws -> ClientIdentity {
        let directory = try make()
        if try directory.facts(of: Self.identityFile) != nil {
            let file = "\(path)/\(Self.identityFile)"
            let text = String(decoding: try ReadableFile.contents(of: file, limit: 1024), as: UTF8.self)
            guard let identity = ClientIdentity(id: text.filter { !$0.isWhitespace }, name: name) else {
                throw DamagedIdentity(
                    description:
                        "\(file) holds no GUID. Put it back from a backup, or remove it and pair every camera anew."
                )
            }
            return identity
        }
        var random = SystemRandomNumberGenerator()
        let identity = ClientIdentity(random: &random, name: name)
        let isOurs = try writeAtomically(
            Array("\(identity.id)\n".utf8), to: Self.identityFile, in: directory, replacing: false)
        // Another program of the same operator may have been faster; then both use its identity.
        return isOurs ? identity : try self.identity(named: name)
    }

    struct DamagedIdentity: Error, CustomStringConvertible {
        let description: String
    }
}
