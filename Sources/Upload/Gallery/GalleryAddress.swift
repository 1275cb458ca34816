import Basics

/// `https://gallery.example/`: where a gallery is, in one spelling, so that the same server is the same text
/// everywhere: in the ledger, in the credentials, in a message.
package struct GalleryAddress: Hashable, Sendable, CustomStringConvertible {
    package struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The whole, with a slash at its end.
    package let description: String
    package let isEncrypted: Bool
    package let host: String
    package let port: UInt16

    package static let longest = 1000

    /// Without a scheme `https` is meant, and of this machine `http`, as a gallery listens there unless told otherwise. Plain `http` is for this machine only, unless the operator allows it: an
    /// eavesdropper on the way reads the password and takes the tokens.
    package init(_ text: String, allowsPlain: Bool = false) throws(Invalid) {
        let shown = UntrustedText.clean(text, most: 200)
        guard !text.isEmpty, text.utf8.count <= Self.longest else {
            throw Invalid(description: "a server's address has 1 to \(Self.longest) characters.")
        }
        let (scheme, rest) = Self.split(text)
        guard scheme == "https" || scheme == "http" else {
            throw Invalid(
                description: "'\(shown)' is no gallery's address: https://gallery.example is meant.")
        }
        isEncrypted = scheme == "https"
        guard !rest.utf8.contains(where: { "?#@\\".utf8.contains($0) }) else {
            throw Invalid(
                description:
                    "'\(shown)': a gallery's address has no user, question mark or hash sign: https://gallery.example is meant."
            )
        }
        let authority = rest.prefix { $0 != "/" }
        guard let (host, port) = Self.authority(authority, usual: isEncrypted ? 443 : 80) else {
            throw Invalid(
                description:
                    "'\(shown)' names no host: https://gallery.example or https://gallery.example:8443 is meant."
            )
        }
        guard let path = Self.path(rest.dropFirst(authority.count)) else {
            throw Invalid(description: "'\(shown)' has a path that no server's address has.")
        }
        self.host = host
        self.port = port
        let isUsual = port == (isEncrypted ? 443 : 80)
        description = "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")\(path)"
        guard isEncrypted || allowsPlain || LoopbackHost.matches(host) else {
            throw Invalid(
                description:
                    "'\(shown)' is not encrypted: others on the network could read the password. Use https, or say --plain-http if this network is yours alone."
            )
        }
    }

    /// The same place by the other scheme: http where this is https.
    package var otherScheme: GalleryAddress? {
        let text = isEncrypted ? "http" + description.dropFirst(5) : "https" + description.dropFirst(4)
        do throws(Invalid) {
            return try GalleryAddress(text, allowsPlain: true)
        } catch {
            return nil
        }
    }

    func url(_ path: String) -> String { description + path }

    /// With what the operator allowed when they logged in there first.
    package var loginCommand: String {
        "tetherline login \(description)" + (isEncrypted || LoopbackHost.matches(host) ? "" : " --plain-http")
    }

    /// The same of a server as the credentials have it.
    static func loginCommand(_ server: String) -> String {
        do throws(Invalid) {
            return try GalleryAddress(server, allowsPlain: true).loginCommand
        } catch {
            return "tetherline login \(server)"
        }
    }

    private static func split(_ text: String) -> (scheme: String, rest: Substring) {
        guard let range = text.firstRange(of: "://") else {
            return (LoopbackHost.begins(text) ? "http" : "https", text[...])
        }
        return (text[..<range.lowerBound].lowercased(), text[range.upperBound...])
    }

    private static func authority(_ text: Substring, usual: UInt16) -> (host: String, port: UInt16)? {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[...end]
            rest = text[text.index(after: end)...]
            let inner = host.dropFirst().dropLast().utf8
            guard inner.contains(UInt8(ascii: ":")),
                inner.allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            rest = text.dropFirst(host.count)
            let isName = host.utf8.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
            guard !host.isEmpty, host.utf8.count <= 253, isName, !host.hasPrefix("."), !host.hasPrefix("-")
            else { return nil }
        }
        if rest.isEmpty { return (host.lowercased(), usual) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy(isDigit), let port = UInt16(digits), port > 0 else {
            return nil
        }
        return (host.lowercased(), port)
    }

    /// With one slash at its end; nil for what could leave the place it names.
    private static func path(_ text: Substring) -> String? {
        var path = "/"
        let parts = text.split(separator: "/")
        // Empty names in the middle are a mistake.
        guard !text.dropLast().contains("//") else { return nil }
        for part in parts {
            guard part != ".", part != "..",
                part.utf8.allSatisfy({ isLetterOrDigit($0) || "-._~%!$&'()*+,;=:".utf8.contains($0) })
            else { return nil }
            path += "\(part)/"
        }
        return path
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// A destination of the kind `gallery` as the ledger keeps it: `https://gallery.example/` for the event that has the
/// same id there as here, `https://gallery.example/?event=ID` for another one.
///
/// An event that was chosen at a gallery has the gallery's id in the ledger, so that the short form is the usual one.
/// The long form is for an event that began without a network, or goes to two galleries.
package struct GalleryPlace: Equatable, Sendable {
    package let address: GalleryAddress
    /// The gallery's id of its event.
    package let event: String
    /// As the ledger keeps it.
    package let url: String

    private static let mark = "?event="

    package init(_ address: GalleryAddress, event: String, ledgerEvent: String) {
        self.address = address
        self.event = event
        url = event == ledgerEvent ? "\(address)" : "\(address)\(Self.mark)\(event)"
    }

    /// What the ledger has. An address that got there was allowed to be plain, if it is.
    package init(url: String, ledgerEvent: String) throws(GalleryAddress.Invalid) {
        guard let range = url.firstRange(of: Self.mark) else {
            self.init(
                try GalleryAddress(url, allowsPlain: true), event: ledgerEvent, ledgerEvent: ledgerEvent)
            return
        }
        let event = String(url[range.upperBound...])
        guard UntrustedText.isID(event) else {
            throw GalleryAddress.Invalid(
                description: "'\(UntrustedText.clean(url, most: 200))' names no event behind ?event=.")
        }
        self.init(
            try GalleryAddress(String(url[..<range.lowerBound]), allowsPlain: true), event: event,
            ledgerEvent: ledgerEvent)
    }
}
