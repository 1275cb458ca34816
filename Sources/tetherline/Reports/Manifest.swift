import Basics
import Digest
import Posix
import Store

/// A verification as a document: which frames, with the SHA-256 of each, signed with the home's key.
///
/// Three lines make one JSON object. The signature is over the second line as it stands, so that any Ed25519 program can
/// check it: `sed -n 2p`, the public key, the signature.
enum Manifest {
    /// A card of 100,000 photos is a manifest of 40 MB.
    static let limit = 256 << 20

    static func text(_ sum: VerificationReport.Sum, key: SigningKey, at moment: Timestamp) -> [UInt8] {
        let beginning: JSONValue = [
            "format": "tetherline-manifest-1",
            "made": .string(CivilTime.rfc3339(milliseconds: moment.milliseconds)),
            "event": sum.event?["event"] ?? .null, "name": sum.event?["name"] ?? .null,
        ]
        let end: JSONValue = [
            "notVerifiable": .array(sum.notVerifiable), "notReachable": .array(sum.notReachable),
            "readBack": .array(sum.findings?.sums ?? []),
        ]
        // The frames are JSON already, as they were shown: a hundred thousand of them are not taken apart again.
        let line =
            Array(beginning.compact.utf8.dropLast()) + Array(#","frames":["#.utf8) + sum.frames
            + Array("],".utf8) + Array(end.compact.utf8.dropFirst())
        let signature = Hexadecimal.text(key.sign(line))
        let last = #","publicKey":"\#(Hexadecimal.text(key.publicKey))","signature":"\#(signature)"}"#
        return Array("{\"manifest\":\n".utf8) + line + Array("\n\(last)\n".utf8)
    }

    struct Untrue: Error, CustomStringConvertible {
        let description: String
    }

    struct Checked {
        let body: JSONValue
        let publicKey: String
    }

    /// Needs nothing but the file.
    static func check(path: String) throws -> Checked {
        let bytes = try ReadableFile.contents(of: path, limit: limit)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        var limits = JSON5.Limits()
        limits.bytes = Self.limit
        limits.elements = 20_000_000
        guard lines.count == 3, lines[0].elementsEqual("{\"manifest\":".utf8) else {
            throw Untrue(
                description: "\(path) is no manifest: it should have three lines, the first {\"manifest\":")
        }
        let last = Array("{\"x\":0".utf8) + lines[2]
        do {
            let end = try JSON5.parse(last)
            let body = try JSON5.parse(Array(lines[1]), limits: limits)
            guard let keyText = end["publicKey"]?.string, let key = Hexadecimal.bytes(keyText),
                let signature = end["signature"]?.string.flatMap({ Hexadecimal.bytes($0) })
            else { throw Untrue(description: "\(path): its third line gives no publicKey and signature") }
            guard Ed25519.verify(signature, of: Array(lines[1]), publicKey: key) else {
                throw Untrue(
                    description: "\(path): the signature does not fit; it was changed after it was signed")
            }
            return Checked(body: body, publicKey: keyText)
        } catch let error as JSON5Error {
            throw Untrue(description: "\(path): \(error)")
        }
    }
}

extension Home {
    private static let keyFile = "manifest.key"

    /// The key that signs manifests, made once.
    func signingKey() throws -> SigningKey {
        let directory = try make()
        let file = "\(path)/\(Self.keyFile)"
        if try directory.facts(of: Self.keyFile) != nil {
            let text = String(decoding: try ReadableFile.contents(of: file, limit: 1024), as: UTF8.self)
            guard let seed = Hexadecimal.bytes(text.filter { !$0.isWhitespace }),
                let key = SigningKey(seed: seed)
            else {
                throw NothingThere(
                    description:
                        "\(file) holds no key. Put it back from a backup, or remove it; manifests are signed with a new one then."
                )
            }
            return key
        }
        let chance = SystemRandomSource()
        let seed = (0..<SigningKey.seedLength / 8).flatMap { _ in
            withUnsafeBytes(of: chance.next()) { Array($0) }
        }
        try writeAtomically(
            Array("\(Hexadecimal.text(seed))\n".utf8), to: Self.keyFile, in: directory, replacing: false)
        // Another program may have been faster; then both use its key.
        return try signingKey()
    }
}
