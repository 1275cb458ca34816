import Posix

/// What a gallery's users agree to before it takes their photos, as its host has written it.
package struct Terms: Equatable, Sendable {
    package let text: String

    /// A page or two; more is not read in a terminal.
    package static let mostBytes = 32 << 10

    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    package init(file path: String) throws(Unusable) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.contents(of: path, limit: Self.mostBytes)
        } catch {
            throw Unusable(description: "\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self), text.contains(where: { !$0.isWhitespace })
        else {
            throw Unusable(description: "\(path) holds no text in UTF-8.")
        }
        self.text = text
    }
}
