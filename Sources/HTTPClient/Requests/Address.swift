import Basics
import CCurl

/// A URL taken apart, as far as this client has to know.
struct Address {
    /// Whole, and as it was written: a signature is over exactly this. Never in a sentence.
    let url: String
    let scheme: String
    let host: String
    let port: String
    private let path: String

    /// Longer ones are refused by most servers anyway.
    static let longest = 16 << 10

    /// What may be said of it: never the path, which may hold a name, nor the query, which may hold a signature.
    var peer: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Where credentials may go.
    var origin: String { "\(scheme)://\(peer)" }

    init(_ url: String) throws(HTTPFailure) {
        guard let parts = URLParts() else { throw .invalid("there is no memory to read an address") }
        guard url.utf8.count <= Self.longest, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalid(
                "an address is refused: it is longer than \(Self.longest) bytes, or has a space or a character that has to be escaped"
            )
        }
        if let problem = parts.set(url) { throw .invalid("an address cannot be read: \(problem)") }
        self.url = url
        scheme = parts[CURLUPART_SCHEME]?.lowercased() ?? ""
        // As libcurl writes it: an IPv6 address in its brackets.
        host = (parts[CURLUPART_HOST] ?? "").filter { $0 != "[" && $0 != "]" }.lowercased()
        port = parts[CURLUPART_PORT] ?? ""
        path = parts[CURLUPART_PATH] ?? "/"
        guard !host.isEmpty else { throw .invalid("an address names no host") }
        guard parts[CURLUPART_USER] == nil, parts[CURLUPART_PASSWORD] == nil else {
            throw .invalid(
                "the address of \(host) holds a user or a password, which would be sent to wherever it leads; they belong into a header or the settings"
            )
        }
    }

    /// The path without its escapes.
    func decodedPath() throws(HTTPFailure) -> String {
        var count: Int32 = 0
        guard let decoded = curl_easy_unescape(nil, path, 0, &count) else {
            throw .invalid("the path of \(peer) cannot be read")
        }
        defer { curl_free(decoded) }
        let bytes = UnsafeRawBufferPointer(start: decoded, count: Int(count))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalid("the path of \(peer) is no UTF-8 when it is decoded")
        }
        return text
    }

    /// Where a `Location` leads from here; nothing when that is nowhere for HTTP.
    func following(_ location: String) throws(HTTPFailure) -> Address? {
        guard let parts = URLParts(), parts.set(url) == nil, parts.set(location) == nil,
            let whole = parts[CURLUPART_URL]
        else { throw .unreadable("\(peer) redirects to what is no address") }
        guard ["http", "https"].contains(parts[CURLUPART_SCHEME] ?? "") else { return nil }
        do throws(HTTPFailure) {
            return try Address(whole)
        } catch {
            throw .unreadable("\(peer) redirects to where redirects are not followed: \(error)")
        }
    }
}

/// libcurl's own reading of a URL, so that no two readings can differ.
private struct URLParts: ~Copyable {
    private let pointer: OpaquePointer

    init?() {
        guard let pointer = curl_url() else { return nil }
        self.pointer = pointer
    }

    deinit {
        curl_url_cleanup(pointer)
    }

    /// Why it cannot be one; nothing when it is. A second one is read as seen from the first.
    func set(_ url: String) -> String? {
        let code = curl_url_set(
            pointer, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME))
        return code == CURLUE_OK ? nil : String(cString: curl_url_strerror(code))
    }

    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard tl_url_get(pointer, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
