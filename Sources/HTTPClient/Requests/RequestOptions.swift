import Basics
import CCurl

/// A request checked and written down in libcurl's terms.
struct RequestOptions {
    let address: Address
    private(set) var options: [Option]

    /// Small ones get a buffer of their size, so that many at a time cost little; beyond this nothing is gained.
    static let uploadBuffer = 16 << 10...512 << 10
    /// A connection that was idle for longer may be dead without notice.
    private static let longestIdleSeconds = 45

    init(_ request: HTTPRequest, _ configuration: CurlClient.Configuration, _ trust: Trust)
        throws(HTTPFailure)
    {
        address = try Address(request.url)
        guard ["http", "https"].contains(address.scheme) else {
            throw .invalid("'\(address.scheme)' is no scheme for a request; there are http and https")
        }
        guard Self.isToken(request.method) else {
            throw .invalid("'\(request.method)' is no method of HTTP")
        }
        options = [
            .text(CURLOPT_URL, address.url),
            .text(CURLOPT_PROTOCOLS_STR, "http,https"),
            .number(CURLOPT_FOLLOWLOCATION, 0),
            // One lossy connection for all uploads is slower than one for each.
            .number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // What was signed is what is sent.
            .number(CURLOPT_PATH_AS_IS, 1),
            .number(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            .text(CURLOPT_USERAGENT, configuration.userAgent),
        ]
        options += Self.connection(request.limits, interface: request.interface)
        // "Setting the proxy string to "" explicitly disables the use of a proxy, even if there is an environment variable".
        if !configuration.usesProxies { options.append(.text(CURLOPT_PROXY, "")) }
        options += try trust.options()
        options += try Self.method(request)
        options.append(.list(CURLOPT_HTTPHEADER, try Self.headers(request, address)))
    }

    /// What holds for every protocol.
    static func connection(_ limits: HTTPLimits, interface: String?) -> [Option] {
        var options: [Option] = [
            .number(CURLOPT_NOSIGNAL, 1),
            // A name that is still looked up must not hold up the thread when it is not wanted any more.
            .number(CURLOPT_QUICK_EXIT, 1),
            .number(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, limits.connect.wholeMilliseconds))),
            .number(CURLOPT_MAXAGE_CONN, longestIdleSeconds),
            .number(CURLOPT_TCP_KEEPALIVE, 1),
            .number(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue)),
        ]
        // Never taken for an address or a name of a host.
        if let interface { options.append(.text(CURLOPT_INTERFACE, "if!\(interface)")) }
        return options
    }

    static func uploadBuffer(for count: UInt64) -> Option {
        .number(
            CURLOPT_UPLOAD_BUFFERSIZE,
            min(max(Int(clamping: count), uploadBuffer.lowerBound), uploadBuffer.upperBound))
    }

    private static func method(_ request: HTTPRequest) throws(HTTPFailure) -> [Option] {
        let sendsBody = request.body.count > 0 || ["PUT", "POST", "PATCH"].contains(request.method)
        if !sendsBody {
            switch request.method {
            case "GET": return [.number(CURLOPT_HTTPGET, 1)]
            case "HEAD": return [.number(CURLOPT_NOBODY, 1)]
            default: return [.number(CURLOPT_HTTPGET, 1), .text(CURLOPT_CUSTOMREQUEST, request.method)]
            }
        }
        guard !["GET", "HEAD"].contains(request.method) else {
            throw .invalid("a \(request.method) request carries no body; use PUT or POST")
        }
        var options: [Option] = [
            .number(CURLOPT_UPLOAD, 1),
            .text(CURLOPT_CUSTOMREQUEST, request.method),
            .large(CURLOPT_INFILESIZE_LARGE, request.body.count),
            uploadBuffer(for: request.body.count),
        ]
        if case .asks(let atMost) = request.expects {
            options.append(
                .number(CURLOPT_EXPECT_100_TIMEOUT_MS, Int(clamping: max(1, atMost.wholeMilliseconds))))
        }
        return options
    }

    // MARK: Headers

    /// Made from the body and the settings; another value would contradict them.
    private static let ours: Set = ["transfer-encoding", "expect", "connection"]

    private static func headers(_ request: HTTPRequest, _ address: Address) throws(HTTPFailure) -> [String] {
        var lines: [String] = []
        for header in request.headers {
            let name = header.name.lowercased()
            guard isToken(header.name) else {
                throw .invalid("a header of a request to \(address.peer) has a name that cannot be one")
            }
            guard header.value.utf8.allSatisfy({ $0 == 9 || $0 >= 0x20 && $0 != 0x7F }) else {
                throw .invalid(
                    "the header \(header.name) of a request to \(address.peer) has a line's end or another control character in it"
                )
            }
            guard !ours.contains(name) else {
                throw .invalid("the header \(header.name) is not the caller's to set")
            }
            if name == "content-length" {
                guard UInt64(header.value) == request.body.count else {
                    throw .invalid(
                        "the header \(header.name) says \(header.value), and the body has \(request.body.count) bytes"
                    )
                }
                continue
            }
            // libcurl takes a header without a value for one to be left out.
            lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        switch request.expects {
        case .asks where request.body.count > 0: lines.append("Expect: 100-continue")
        case .asks, .never: lines.append("Expect:")
        }
        return lines
    }

    /// RFC 9110 §5.6.2: "token = 1*tchar".
    static func isToken(_ text: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: marks.contains(byte)
                }
            }
    }
}
