import Basics
import CCurl

extension TransferResult {
    /// What an ending means for keeping files there; nothing when it was done.
    func fileServerFailure(
        at place: FilePlace, _ path: String, _ settings: FileServerSettings
    ) -> FileServerFailure? {
        switch cause {
        case .finished: return nil
        case .cancelled: return .cancelled
        case .body(let error): return .body(error)
        case .failed(let code, let words):
            return failure(code, Self.presentable(words, code), place, path, settings)
        case .stalled, .tooSlow, .answerTooLong, .headersTooLong, .refused:
            return FileServerFailure(failure(at: place.peer))
        }
    }

    private func failure(
        _ code: CURLcode, _ words: String, _ place: FilePlace, _ path: String, _ settings: FileServerSettings
    ) -> FileServerFailure {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION where place.isSFTP:
            return .distrusted(hostKeySentence(place, settings))
        case CURLE_USE_SSL_FAILED:
            return .distrusted(
                "\(place.peer) offers no TLS. Passwords and photos would be sent openly: say ?tls=none behind the address where that is meant, or use another server."
            )
        case CURLE_LOGIN_DENIED:
            return .logInRefused("\(place.peer) does not let '\(settings.user)' in: \(words)")
        case CURLE_REMOTE_FILE_NOT_FOUND,
            CURLE_FTP_COULDNT_RETR_FILE where status == 550:
            return .missing("\(place.peer) has no '\(path)'")
        case CURLE_REMOTE_DISK_FULL:
            return .noRoom("\(place.peer) has no room for '\(path)'")
        case CURLE_UPLOAD_FAILED where status == 452 || status == 552:
            return .noRoom("\(place.peer) has no room for '\(path)'")
        case CURLE_REMOTE_ACCESS_DENIED, CURLE_UPLOAD_FAILED, CURLE_QUOTE_ERROR, CURLE_FTP_COULDNT_RETR_FILE,
            CURLE_FTP_COULDNT_USE_REST, CURLE_FTP_COULDNT_SET_TYPE, CURLE_REMOTE_FILE_EXISTS:
            return .refused("\(place.peer) refuses '\(path)': \(words)", code: place.isSFTP ? 0 : status)
        case CURLE_SSH where isConnected:
            return .refused("\(place.peer) refuses '\(path)': \(words)", code: 0)
        default:
            return FileServerFailure(failure(at: place.peer))
        }
    }

    private func hostKeySentence(_ place: FilePlace, _ settings: FileServerSettings) -> String {
        let port = place.port == "22" ? "" : "-p \(place.port) "
        return hostKey == .changed
            ? "\(place.peer) shows another key than the one in \(settings.knownHostsPath). Another host may be intercepting the connection; if the server really has a new key, remove the old line there."
            : "the key of \(place.peer) is not in \(settings.knownHostsPath). Compare it with what the server's owner says, and add it with: ssh-keyscan \(port)\(place.host) >> \(settings.knownHostsPath)"
    }
}

extension FileServerFailure {
    init(_ failure: HTTPFailure) {
        self =
            switch failure {
            case .unreachable(let text): .unreachable(text)
            case .certificate(let text): .distrusted(text)
            case .broken(let text, let bodyWasSent): .broken(text, bodyWasSent: bodyWasSent)
            case .unreadable(let text): .broken(text, bodyWasSent: false)
            case .body(let error): .body(error)
            case .invalid(let text): .invalid(text)
            case .cancelled: .cancelled
            }
    }
}
