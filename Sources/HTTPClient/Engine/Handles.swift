import CCurl

/// A transfer's handle of libcurl's, with the place where it writes why it failed. Used by one thread.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let words: UnsafeMutablePointer<CChar>

    init() {
        guard let pointer = curl_easy_init() else {
            preconditionFailure("libcurl has no memory for a handle")
        }
        self.pointer = pointer
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(pointer)
        words.deallocate()
    }

    /// As new, but for what makes it cheap to use again.
    func reset() {
        curl_easy_reset(pointer)
        tl_set_pointer(pointer, CURLOPT_SHARE, nil)
    }

    /// Before the first setting, so that what it says about a setting is kept too.
    func listen() {
        words[0] = 0
        tl_set_pointer(pointer, CURLOPT_ERRORBUFFER, words)
    }

    func explanation(of code: CURLcode) -> String {
        let text = String(cString: words)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// Sets everything. Lists belong to the caller afterwards. Gives what libcurl refuses.
    func apply(_ options: [Option], lists: inout [HeaderList]) -> CURLcode {
        for option in options {
            let code =
                switch option {
                case .number(let name, let value): tl_set_number(pointer, name, value)
                case .large(let name, let value): tl_set_large(pointer, name, Int(clamping: value))
                case .text(let name, let value): tl_set_text(pointer, name, value)
                case .noText(let name): tl_set_text(pointer, name, nil)
                case .bytes(let name, let value): tl_set_bytes(pointer, name, value, value.count)
                case .list(let name, let words): applyList(name, words, to: &lists)
                }
            if code != CURLE_OK { return code }
        }
        return CURLE_OK
    }

    private func applyList(_ name: CURLoption, _ words: [String], to lists: inout [HeaderList]) -> CURLcode {
        let list = HeaderList(words)
        lists.append(list)
        return tl_set_list(pointer, name, list.first)
    }
}

/// Lines that libcurl reads while a transfer runs.
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        for line in lines { first = curl_slist_append(first, line) }
    }

    deinit {
        curl_slist_free_all(first)
    }
}

/// Connections that are kept, names that were looked up, and TLS sessions, until the network changes. A handle that
/// uses a connection of it keeps it; the last one closes what is left.
final class ConnectionPool {
    private let pointer: UnsafeMutableRawPointer

    init() {
        guard let pointer = curl_share_init() else { preconditionFailure("libcurl has no memory for a pool") }
        self.pointer = pointer
        for what in [CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_SSL_SESSION] {
            tl_share(pointer, what)
        }
    }

    deinit {
        curl_share_cleanup(pointer)
    }

    func lend(to easy: EasyHandle) {
        tl_set_pointer(easy.pointer, CURLOPT_SHARE, pointer)
    }
}
