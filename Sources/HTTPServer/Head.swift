import Bridge
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
                    guard let context, let name else { return .YES }
                    let headers = context.assumingMemoryBound(to: [HTTPHeader].self)
                    headers.pointee.append(
                        HTTPHeader(
                            Exchange.text(name, nameSize), value.map { Exchange.text($0, valueSize) } ?? ""))
                    return headers.pointee.count <= Exchange.mostHeaders ? .YES : .NO
                }, pointer)
        }
        return headers
    }

    private static func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func requestID(in headers: [HTTPHeader]) -> String {
        for header in headers where header.name.utf8.count == 12 && header.name.lowercased() == "x-request-id"
        {
            if Core.isAcceptable(id: header.value) { return header.value }
        }
        return core.makeID()
    }

    /// Who asked: where a proxy that we trust stands between, whom it says it asked for.
    func peer(_ headers: [HTTPHeader]) -> String {
        let trusted = core.settings.trustedProxies
        guard trusted.contains(connection.peer) else { return connection.peer }
        let chain = headers.filter { $0.name.lowercased() == "x-forwarded-for" }
            .flatMap { $0.value.split(separator: ",") }
            .map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        // Each proxy appends whom it heard from; what stands before the first that we do not trust may be invented.
        return chain.last { !trusted.contains($0) && $0.utf8.count <= 45 } ?? connection.peer
    }
}

extension Request {
    func with(body: [UInt8]) -> Request {
        Request(
            id: id, method: method, path: path, parameters: parameters, query: query, headers: headers,
            peer: peer, body: body)
    }
}
