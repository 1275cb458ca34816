import HTTPServer
package import Posix

/// How a bridge is seen in a browser: where it listens, and what may be done from there.
package struct HudSettings: Sendable {
    package var listen: IPEndpoint
    /// The service manager's socket that listens there.
    package var inherited: InheritedSocket?
    /// Files of a certificate chain and its key, in PEM.
    package var tls: (certificate: String, key: String)?
    /// Over a plain connection through a network others can hear the token, so it only shows, unless the operator says this.
    package var allowsPlainControl = false
    /// Names of this machine besides its addresses, in lower case: a name that is not expected may be a stranger's that leads
    /// here.
    package var names: Set<String> = []

    package init(listen: IPEndpoint) {
        self.listen = listen
    }

    package var isLoopback: Bool { ClientAddress.isLoopback(listen.address) }

    /// Whether what is sent can be read on the way.
    package var isPlainInNetwork: Bool { tls == nil && !isLoopback }

    package var allowsControl: Bool { !isPlainInNetwork || allowsPlainControl }

    /// One operator has a browser or three, each with some connections. Whatever else comes waits outside.
    static let mostConnections = 64
    static let mostConnectionsPerAddress = 48
    /// Of those, who listen for news: each costs some bytes for everything that happens.
    static let mostListeners = 24

    var server: ServerSettings {
        var settings = ServerSettings(listen: listen)
        settings.inherited = inherited
        settings.tls = tls
        settings.threads = 1
        settings.mostConnections = Self.mostConnections
        settings.mostConnectionsPerAddress = Self.mostConnectionsPerAddress
        return settings
    }
}
