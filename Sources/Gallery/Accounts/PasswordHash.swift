package import Basics
import CXCrypt
import Digest

/// Passwords and PINs as they are kept: yescrypt, by libxcrypt, in the form of crypt(5).
///
/// It needs memory as well as time, so that a stolen database is not gone through on graphics cards.
package struct PasswordHash: Sendable {
    /// How hard it is: each step doubles both. At 6 a password takes about 50 ms and 32 MiB, one at a time.
    package let cost: Int
    /// What stands before the salt at this cost: `$y$jAT$`.
    private let method: String
    /// Checked where there is no account, so that its absence takes as long as a wrong password.
    private let decoy: String

    package static let usualCost = 6

    package init(cost: Int = usualCost) {
        precondition((1...11).contains(cost), "crypt(5) knows the costs 1 to 11 of yescrypt")
        self.cost = cost
        decoy = Self.setting(cost: cost, salt: [UInt8](repeating: 0, count: Self.saltLength))
        method = Self.method(of: decoy)
    }

    private static let saltLength = 16
    /// Of `struct crypt_data`, which is larger than what Swift takes over from C: 32768 in every version of libxcrypt.
    private static let scratchSize = 32768

    package func make(_ password: String, random: any RandomSource) -> String {
        let setting = Self.setting(cost: cost, salt: random.bytes(Self.saltLength))
        guard let hash = Self.crypt(password, setting) else {
            preconditionFailure("libxcrypt refused a setting of its own")
        }
        return hash
    }

    package enum Verdict: Equatable, Sendable {
        case wrong
        case right
        /// Right, but kept at another cost or by another method than is usual now.
        case rightAndStale
    }

    /// Takes as long for an account that is not there, which has no hash.
    package func check(_ password: String, against hash: String?) -> Verdict {
        guard let found = Self.crypt(password, hash ?? decoy), let hash,
            ConstantTime.isSame(Array(found.utf8), Array(hash.utf8))
        else { return .wrong }
        return Self.method(of: hash) == method ? .right : .rightAndStale
    }

    /// Up to the salt: `$y$jAT$` of `$y$jAT$salt$hash`.
    private static func method(of setting: String) -> String {
        let parts = setting.split(separator: "$", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "$")
    }

    private static func setting(cost: Int, salt: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        let signed = salt.map { CChar(bitPattern: $0) }
        let result = crypt_gensalt_rn(
            "$y$", UInt(cost), signed, Int32(signed.count), &text, Int32(text.count))
        precondition(result != nil, "this libxcrypt has no yescrypt, which every one since 4.3 has")
        return Self.string(text)
    }

    /// Nothing where the setting is none that libxcrypt knows.
    private static func crypt(_ password: String, _ setting: String) -> String? {
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchSize, alignment: 64)
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
        defer {
            scratch.initializeMemory(as: UInt8.self, repeating: 0)
            scratch.deallocate()
        }
        guard let hash = crypt_rn(phrase(password), setting, scratch.baseAddress, Int32(scratchSize)) else {
            return nil
        }
        return String(cString: hash)
    }

    /// crypt(3) takes 511 bytes at the most and ends at the first NUL: what is longer or has one goes in as its digest, so
    /// that every byte counts.
    private static func phrase(_ password: String) -> String {
        let bytes = Array(password.utf8)
        let isWhole = bytes.count < Int(CRYPT_MAX_PASSPHRASE_SIZE) && !bytes.contains(0)
        return isWhole ? password : "sha256:\(SHA256.of(bytes))"
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
