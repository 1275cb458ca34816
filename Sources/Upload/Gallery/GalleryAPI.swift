package import Basics

/// A gallery's calls, one function each: a request goes out, a value comes back, or it is said why not.
///
/// Nothing here decides what follows from an answer, and nothing here is kept, the gallery's clock aside.
package struct GalleryAPI: Sendable {
    package let address: GalleryAddress
    let http: any HTTPTransport
    let wall: any WallTime
    let clock: GalleryClock
    private let way: @Sendable () -> UploadWay

    /// What is kept of an answer.
    static let longestAnswer = 1 << 20
    static let jsonLimits = jsonLimits(bytes: longestAnswer, elements: 50_000)

    static func jsonLimits(bytes: Int, elements: Int) -> JSON5.Limits {
        var limits = JSON5.Limits()
        limits.bytes = bytes
        limits.depth = 16
        limits.elements = elements
        return limits
    }
    /// Of a server's own words in a message.
    static let longestMessage = 300

    package init(
        _ address: GalleryAddress, http: any HTTPTransport, wall: any WallTime,
        clock: GalleryClock = GalleryClock(), way: @escaping @Sendable () -> UploadWay = { UploadWay() }
    ) {
        self.address = address
        self.http = http
        self.wall = wall
        self.clock = clock
        self.way = way
    }

    // MARK: One call

    /// Sends one request. The answer is this API's: a success in its envelope, or it is an error.
    func call(
        _ method: String, _ path: String, token: String? = nil, body: JSONValue? = nil,
        headers: [HTTPHeader] = [], hiding secrets: [String] = [], limits: JSON5.Limits = jsonLimits
    ) async throws(GalleryError) -> GalleryAnswer {
        let way = way()
        var request = HTTPRequest(
            method, address.url(path), headers: [HTTPHeader("Accept", "application/json")] + headers,
            answerLimit: limits.bytes, limits: way.limits, interface: way.interface, path: way.path)
        if let token { request.headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        if let body {
            request.headers.append(HTTPHeader("Content-Type", "application/json"))
            request.body = .bytes(Array(body.compact.utf8))
        }
        let asked = wall.wallNow
        let response: HTTPResponse
        do {
            response = try await http.send(request)
        } catch {
            throw .unanswered(error, server: "\(address)")
        }
        if let date = response.date { clock.note(date, at: wall.wallNow) }
        let envelope = Self.envelope(response.body, limits)
        guard (200..<300).contains(response.status) else {
            throw .refused(refusal(response, envelope, hiding: secrets + [token].compactMap { $0 }))
        }
        // A proxy's or a portal's success is no gallery's.
        guard response.status == 204 || envelope?["data"] != nil else {
            throw .foreign(
                "\(address) answered \(response.status), but not as a gallery does; is this the right address, and is nothing in between?"
            )
        }
        return GalleryAnswer(
            status: response.status, data: envelope?["data"], asked: asked, date: response.date)
    }

    /// The object that everything is in; nothing for what is none.
    private static func envelope(_ body: [UInt8], _ limits: JSON5.Limits) -> JSONValue? {
        do {
            let value = try JSON5.parse(body, limits: limits)
            return value.members == nil ? nil : value
        } catch {
            // What it is instead does not matter, and is not to be shown: it may repeat what was sent.
            return nil
        }
    }

    private func refusal(
        _ response: HTTPResponse, _ envelope: JSONValue?, hiding secrets: [String]
    ) -> GalleryRefusal {
        let error = envelope?["error"]
        var message = error?["message"]?.string ?? ""
        let fields = (error?["fields"] ?? envelope?["fields"])?.members ?? []
        for (name, texts) in fields.prefix(5) {
            let first = texts.array?.first?.string ?? texts.string ?? ""
            message += "\(message.isEmpty ? "" : "; ")\(name): \(first)"
        }
        return GalleryRefusal(
            server: "\(address)", status: response.status, code: error?["code"]?.string,
            message: UntrustedText.clean(UntrustedText.without(secrets, message), most: Self.longestMessage),
            after: response.retryAfter(at: wall.wallNow))
    }

    /// Takes an answer apart; what does not fit is no answer of this API.
    func reading<Value>(
        _ what: String, _ body: () throws(GalleryResponseFields.Mismatch) -> Value
    ) throws(GalleryError) -> Value {
        do {
            return try body()
        } catch {
            throw .foreign(
                "\(address) answered \(what), but not as a gallery does: \(error.description); is its version another than ours?"
            )
        }
    }

    /// An id inside a path. Ids come from our ledger or were checked when they came, so a strange one goes out escaped.
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let character = String(Unicode.Scalar(byte))
            if UntrustedText.isID(character) { return character }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}

/// How requests leave for a destination, asked anew for each.
package struct UploadWay: Sendable {
    /// Nothing where that is left to the kernel.
    package var interface: String?
    /// Whose share of bytes they draw on.
    package var path: String?
    /// Every byte costs: a large body is sent only after the server has been asked.
    package var isMetered: Bool
    package var limits: HTTPLimits

    package init(
        interface: String? = nil, path: String? = nil, isMetered: Bool = false,
        limits: HTTPLimits = HTTPLimits()
    ) {
        self.interface = interface
        self.path = path
        self.isMetered = isMetered
        self.limits = limits
    }
}
