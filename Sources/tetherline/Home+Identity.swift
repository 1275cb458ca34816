import PTP
import Posix
import Store

extension Home {
    private static let identityFile = "identity"

    /// The GUID by which cameras know us. Made once: to a paired camera it is the password.
    func identity() throws -> GUID {
        let directory = try make()
        if try directory.facts(of: Self.identityFile) != nil {
            let file = "\(path)/\(Self.identityFile)"
            let text = String(decoding: try ReadableFile.contents(of: file, limit: 1024), as: UTF8.self)
            guard let guid = GUID(text: text.filter { !$0.isWhitespace }) else {
                throw DamagedIdentity(
                    description:
                        "\(file) holds no GUID. Put it back from a backup, or remove it and pair every camera anew."
                )
            }
            return guid
        }
        var random = SystemRandomNumberGenerator()
        let guid = GUID(random: &random)
        let isOurs = try writeAtomically(
            Array("\(guid)\n".utf8), to: Self.identityFile, in: directory, replacing: false)
        // Another program of the same operator may have been faster; then its GUID is everybody's.
        return isOurs ? guid : try identity()
    }

    struct DamagedIdentity: Error, CustomStringConvertible {
        let description: String
    }
}
