package import Basics
import CCurl
package import Posix

/// Requests of HTTP over libcurl, any number at a time on one thread.
package final class CurlClient: HTTPTransport {
    package struct Configuration: Sendable {
        /// A file with certificates of authorities that are believed as well as the system's.
        package var privateCA: String?
        package var userAgent = "tetherline"
        /// As the environment says it; what is asked of a host on the same network goes there itself.
        package var usesProxies = true

        package init(privateCA: String? = nil, usesProxies: Bool = true) {
            self.privateCA = privateCA
            self.usesProxies = usesProxies
        }
    }

    private let configuration: Configuration
    private let trust: Trust
    private let thread: CurlThread

    /// The thread that the requests run on. A caller that runs there too changes no threads for each of them.
    package var executor: any SerialExecutor & TaskExecutor & TimeSource { thread.reactor }

    /// Looks at the environment once, for certificates; proxies are libcurl's to look for.
    /// Fails where the process has no descriptor left for it.
    package init(_ configuration: Configuration = Configuration()) throws(SystemError) {
        thread = try CurlThread(name: "http")
        self.configuration = configuration
        trust = Trust(privateCA: configuration.privateCA, environment: Trust.variable)
    }

    /// A redirect is followed only for GET and HEAD, as often as the request allows, never from https to http, and
    /// without credentials to another host. Where it is not followed it is the answer. Of an answer that says no
    /// (400 and above) the body is what has come of it, up to the limit.
    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var request = request
        while true {
            let response = try await sendOnce(request)
            guard request.redirects > 0, let next = try Redirect.next(response, to: request) else {
                return response
            }
            request = next
            request.redirects -= 1
        }
    }

    private func sendOnce(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let written = try RequestOptions(request, configuration, trust)
        var order = Order(
            options: written.options, body: request.body, sink: .answer(limit: request.answerLimit),
            limits: request.limits, path: request.path, onSent: request.onSent)
        var ending = await thread.perform(order)
        if ending.isOfDeadConnection {
            order.options.append(.number(CURLOPT_FRESH_CONNECT, 1))
            ending = await thread.perform(order)
        }
        return try ending.response(from: written.address.peer)
    }

    /// What all bodies of the path together may send in a second, from now on; nothing for any number.
    package func setRate(bytesPerSecond: UInt64?, forPath path: String) {
        thread.post(.setRate(bytesPerSecond, path: path))
    }

    package func forgetConnections() {
        thread.post(.forgetConnections)
    }

    /// What runs ends as taken back, and so does what comes later. Returns when the thread is over.
    package func shutDown() async {
        await thread.shutDown()
    }
}
