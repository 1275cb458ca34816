import Basics
import Posix

/// A user's name and password. The password is in no message, wherever this is printed.
struct ServerLogin: CustomStringConvertible, CustomDebugStringConvertible {
    let user: String
    let password: String

    private static let longestFile = 4096

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// One line: `user:password`.
    init(file path: String) throws(AddressProblem) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.contents(of: path, limit: Self.longestFile)
        } catch {
            throw AddressProblem(description: "\(error)")
        }
        let line = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
        let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty else {
            throw AddressProblem(description: "\(path) has to hold one line: user:password")
        }
        self.init(user: String(pair[0]), password: String(pair[1]))
    }

    /// A password inside a URL. What is wrong with it is said without showing it.
    static func password(_ text: Substring, _ url: String) throws(AddressProblem) -> String {
        do throws(PercentEncoding.Invalid) {
            return try PercentEncoding.decoded(text)
        } catch {
            throw AddressProblem(
                description: "the password for '\(url)' has a percent sign that escapes nothing; write %25.")
        }
    }

    var description: String { user }
    var debugDescription: String { user }
}
