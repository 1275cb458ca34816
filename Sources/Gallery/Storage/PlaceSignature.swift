import Basics
import HTTPServer

/// A URL by which its holder may put exactly one object: what was claimed stands in its query, under a signature.
struct PlaceSignature: Sendable {
    private let ring: KeyRing

    init(_ ring: KeyRing) {
        self.ring = ring
    }

    private var keys: SigningKeys { ring.keys(for: .places) }

    func query(for claim: PlaceClaim) -> String {
        let seconds = claim.expiresAt.seconds
        let signature = keys.signature(of: Self.text(claim, expires: String(seconds)), as: .hexadecimal)
        return [
            ("type", claim.contentType), ("length", String(claim.length)), ("sha256", claim.sha256 ?? ""),
            ("expires", String(seconds)), ("signature", signature),
        ].map { "\($0.0)=\(PercentEncoding.encoded($0.1))" }.joined(separator: "&")
    }

    /// What was signed; an error for whatever was not, or not so.
    func claim(of request: Request) throws(APIError) -> PlaceClaim {
        let tampered = APIError(.forbidden, "this URL is not as it was signed; ask for a new one")
        let query = request.query
        guard let key = request.parameters["key"], ObjectKey.isKey(key), let type = query["type"],
            let length = query["length"].flatMap({ UInt64($0) }), let hash = query["sha256"],
            let expires = query["expires"], let seconds = Int64(expires),
            // Multiplied below; no calendar goes that far.
            (0..<(1 << 40)).contains(seconds),
            let signature = query["signature"]
        else { throw tampered }
        let claim = PlaceClaim(
            key: key, contentType: type, length: length, sha256: hash.isEmpty ? nil : hash,
            expiresAt: Timestamp(milliseconds: seconds * 1000))
        guard keys.signer(of: signature, over: Self.text(claim, expires: expires), as: .hexadecimal) != nil
        else { throw tampered }
        return claim
    }

    /// Lines cannot be moved from one to the next: no claim holds a line's end, and what came is checked as it came.
    private static func text(_ claim: PlaceClaim, expires: String) -> [UInt8] {
        let lines = [
            "PUT", claim.key, claim.contentType, String(claim.length), claim.sha256 ?? "", expires,
        ]
        return Array(lines.joined(separator: "\n").utf8)
    }
}
