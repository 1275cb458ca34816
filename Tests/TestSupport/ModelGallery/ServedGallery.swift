import Basics
import Posix

/// The model of a gallery behind a real socket, for real programs.
public final class ServedGallery: Sendable {
    public let gallery: ModelGallery
    private let peer: HTTPPeer

    /// Its calendar is this machine's when it begins, and stands still.
    public init(rules: ModelGallery.Rules = ModelGallery.Rules()) throws {
        let served = Shared<ModelGallery?>(nil)
        peer = try HTTPPeer { request in
            let bytes = try await request.body.all()
            guard let gallery = served.value else { return .text(503, "not yet") }
            let answer = gallery.answer(
                HTTPRequest(
                    request.method, gallery.base + request.target.dropFirst(), headers: request.headers,
                    body: .bytes(bytes)))
            return HTTPPeer.Answer(answer.status, headers: answer.headers, body: answer.body)
        }
        gallery = ModelGallery(
            clock: ManualClock(), start: SystemWallTime().wallNow, base: peer.url + "/", rules: rules)
        served.change { [gallery] in $0 = gallery }
    }

    public var url: String { gallery.base }
}
