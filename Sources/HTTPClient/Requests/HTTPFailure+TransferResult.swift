import Basics
import CCurl

/// What an ending means to the caller.
extension TransferResult {
    /// The answer, or why there is none.
    func response(from peer: String) throws(HTTPFailure) -> HTTPResponse {
        if case .cancelled = cause { throw .cancelled }
        let response = HTTPResponse(status: status, headers: headers, body: body)
        // A refusal counts, however the connection ended: what was not sent was not wanted.
        if status >= 400 { return response }
        if case .finished = cause, status >= 200 { return response }
        throw failure(at: peer)
    }

    /// A kept connection turned out to be dead while the request was under way: no server has it whole, and none has
    /// answered. libcurl itself notices that only when no byte has left.
    var isOfDeadConnection: Bool {
        guard case .failed(let code, _) = cause, isReused, !bodyWasSent, status == 0 else { return false }
        return [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND].contains(code)
    }

    func failure(at peer: String) -> HTTPFailure {
        switch cause {
        case .finished:
            .unreadable("\(peer) gave no answer of HTTP")
        case .stalled(let time):
            .broken("\(peer): nothing moved for \(time.wholeMilliseconds / 1000) s", bodyWasSent: bodyWasSent)
        case .tooSlow(let rate):
            .broken("\(peer): only \(rate) bytes a second over a minute", bodyWasSent: bodyWasSent)
        case .body(let error): .body(error)
        case .answerTooLong(let limit): .unreadable("\(peer) answered with more than \(limit) bytes")
        case .headersTooLong: .unreadable("\(peer) answered with more headers than any answer has")
        case .refused: .broken("\(peer): what came was not wanted", bodyWasSent: bodyWasSent)
        case .cancelled: .cancelled
        case .failed(let code, let words): failure(code, words, at: peer)
        }
    }

    private func failure(_ code: CURLcode, _ words: String, at peer: String) -> HTTPFailure {
        let text = Self.presentable(words, code)
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            return .certificate(CertificateProblem.sentence(certificateProblem, words: text, peer: peer))
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
            return .invalid(
                "the certificates of trusted authorities cannot be read: \(text). Check the files that the settings and the environment name."
            )
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            return .invalid("a request to \(peer) cannot be made: \(text)")
        // "Received HTTP/0.9 when not allowed" is said by the first, and the second is said of a line that does not end.
        case CURLE_UNSUPPORTED_PROTOCOL where isConnected, CURLE_OUT_OF_MEMORY where isConnected,
            CURLE_WEIRD_SERVER_REPLY,
            CURLE_BAD_CONTENT_ENCODING:
            return .unreadable("\(peer) does not answer as HTTP is (\(text))")
        case CURLE_UNSUPPORTED_PROTOCOL:
            return .invalid("a request to \(peer) cannot be made: \(text)")
        case CURLE_SSL_CONNECT_ERROR where text.contains("wrong version number"):
            return .unreachable(
                "\(peer) does not speak TLS there: its address begins with http://, or it has another port")
        // A server of plain HTTP may end the connection with its refusal still on the way.
        case CURLE_SSL_CONNECT_ERROR where Self.endings.contains { text.contains($0) }:
            return .unreachable(
                "\(peer) ended the connection in the TLS handshake: if it does so again, it does not speak TLS there (its address begins with http://, or it has another port), or something on the way lets no TLS through"
            )
        default:
            return isConnected
                ? .broken("the connection to \(peer) broke: \(text)", bodyWasSent: bodyWasSent)
                : .unreachable("\(peer) cannot be reached: \(text)")
        }
    }

    /// What OpenSSL and libcurl say where the peer ends the connection.
    private static let endings = [
        "SSL_ERROR_SYSCALL", "unexpected eof", "onnection reset by peer", "Broken pipe",
    ]

    /// libcurl's own words, unless they repeat an address, which may be signed.
    static func presentable(_ words: String, _ code: CURLcode) -> String {
        words.contains("://") || words.contains("?") ? String(cString: curl_easy_strerror(code)) : words
    }
}

/// What OpenSSL holds against a certificate, and what helps.
enum CertificateProblem {
    /// The numbers are of OpenSSL's `X509_V_ERR_…`.
    static func sentence(_ number: Int, words: String, peer: String) -> String {
        switch number {
        case 9:
            "the certificate of \(peer) is not valid yet. Check the date of this machine."
        case 10:
            "the certificate of \(peer) has expired. Its operator has to renew it; check the date of this machine too."
        case 18:
            "\(peer) shows a certificate that it signed itself. If it is yours, name that certificate as the private CA."
        case 2, 19, 20, 21, 27:
            "the certificate of \(peer) is signed by an authority that this machine does not know. If it is your own, name its certificate as the private CA; on a foreign network another host may be intercepting the connection."
        case 23:
            "the certificate of \(peer) has been revoked. Its operator has to renew it."
        // libcurl looks at the name itself, when OpenSSL has nothing to say yet.
        case 0, 1, 62, 64:
            "\(peer) shows a certificate for another name (\(words)). Check the address; on a foreign network another host may be intercepting the connection."
        default:
            "\(peer) cannot prove who it is: \(words)"
        }
    }
}
