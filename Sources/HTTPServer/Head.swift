import Basics
import CMicrohttpd
import Glibc

/// What is read from the head of a request.
extension Exchange {
    func readHeaders() -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        headers.reserveCapacity(16)
        withUnsafeMutablePointer(to: &headers) { pointer in
            _ = MHD_get_connection_values_n(
                handle, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let context else { return .NO }
                    let headers = context.assumingMemoryBound(to: [HTTPHeader].self)
                    headers.pointee.append(
                        HTTPHeader(
                            name.map { Exchange.text($0, nameSize) } ?? "",
                            value.map { Exchange.text($0, valueSize) } ?? ""))
                    return headers.pointee.count <= Exchange.mostHeaders ? .YES : .NO
                }, pointer)
        }
        return headers
    }

    private static func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Empty where something stands between the target and it: the library ends the target at a NUL.
    func version(_ version: UnsafePointer<CChar>) -> String {
        version == place + target.utf8.count + 1 ? String(cString: version) : ""
    }

    func requestID(in headers: [HTTPHeader]) -> String {
        for header in headers where header.isNamed("X-Request-Id") {
            // A proxy that we trust has the name in its own log.
            isNamed = !core.settings.trustedProxies.contains(connection.peer)
            if Core.isAcceptable(id: header.value) { return header.value }
        }
        return core.makeID()
    }
}

extension Request {
    func with(body: [UInt8]) -> Request {
        Request(
            id: id, method: method, path: path, parameters: parameters, query: query, headers: headers,
            client: client, body: body)
    }
}
