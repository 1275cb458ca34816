import Basics
import CMicrohttpd
import Glibc
import Posix

/// What the library calls, in its own types; each leads to an object of ours at once.
enum Callbacks {
    /// Whether one more connection is taken.
    static let policy: MHD_AcceptPolicyCallback = { context, address, _ in
        guard let context else { return .NO }
        let core = Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
        return !core.isStopping && core.connections.hasRoom(for: Callbacks.peer(address)) ? .YES : .NO
    }

    /// A request in some stage.
    static let access: MHD_AccessHandlerCallback = { _, _, _, method, version, piece, size, context in
        guard let exchange = Callbacks.exchange(context), let method, let version, let size else {
            return .NO
        }
        let bytes = UnsafeRawBufferPointer(start: piece, count: size.pointee)
        let goesOn = exchange.proceed(
            method: String(cString: method), version: exchange.version(version), piece: bytes)
        size.pointee = 0
        return goesOn ? .YES : .NO
    }

    /// The request line is there: its target before the library has decoded it. What is given back is the context of
    /// the other calls.
    static let target:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
            UnsafeMutableRawPointer? = { context, target, handle in
                guard let context, let target, let handle, let known = tl_mhd_socket_context(handle) else {
                    return nil
                }
                let core = Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
                let connection = Unmanaged<Connection>.fromOpaque(known).takeUnretainedValue()
                let exchange = Exchange(core, connection, handle, target: target)
                tl_mhd_hide_query(target)
                return Unmanaged.passRetained(exchange).toOpaque()
            }

    /// The request is over.
    static let completed: MHD_RequestCompletedCallback = { _, handle, context, reason in
        guard let handle, let context, let opaque = context.pointee else { return }
        let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue()
        context.pointee = nil
        exchange.ended(
            status: Int(tl_mhd_status(handle)), inOrder: reason == .REQUEST_TERMINATED_COMPLETED_OK)
    }

    /// A connection begins or ends.
    static let connection: MHD_NotifyConnectionCallback = { context, handle, known, what in
        guard let context, let handle, let known else { return }
        let core = Unmanaged<Core>.fromOpaque(context).takeUnretainedValue()
        if what == .CONNECTION_NOTIFY_STARTED {
            let connection = Connection(
                tl_mhd_descriptor(handle), peer: Callbacks.peer(tl_mhd_peer(handle)), now: core.time.now)
            connection.keepSendingShort()
            core.connections.add(connection)
            known.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let opaque = known.pointee {
            let connection = Unmanaged<Connection>.fromOpaque(opaque).takeRetainedValue()
            core.connections.remove(connection)
            known.pointee = nil
        }
    }

    /// Escapes are decoded by us, part by part, because an escaped slash is no slash.
    static let unescape:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
            _, _, text in
            text.map { strlen($0) } ?? 0
        }

    private static func exchange(_ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Exchange? {
        guard let opaque = context?.pointee else { return nil }
        return Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
    }

    /// Options that take a function get it as a number.
    static func address<Function>(_ function: Function) -> Int {
        unsafeBitCast(function, to: Int.self)
    }

    /// As text, without the port. An IPv4 address that came by a socket for both is written as one.
    private static func peer(_ address: UnsafePointer<sockaddr>?) -> String {
        guard let address else { return "" }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = Int32(address.pointee.sa_family)
        // The address stands behind the port, or behind the flow label.
        let offset = family == AF_INET ? 4 : 8
        inet_ntop(family, UnsafeRawPointer(address) + offset, &text, socklen_t(text.count))
        let written = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return written.hasPrefix("::ffff:") && written.contains(".") ? String(written.dropFirst(7)) : written
    }
}
