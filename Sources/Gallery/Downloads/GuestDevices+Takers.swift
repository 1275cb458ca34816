import Basics
import HTTPServer

/// Which browser takes photos home. It has a cookie of its own for that: one that is given to any browser which asks for a photo
/// is not to be one that gives hearts.
extension GuestDevices {
    struct Taker: Equatable, Sendable {
        /// Empty where it is not known.
        let device: String
        /// As which it gives hearts and writes comments, where it does.
        var author: String?
        /// Gives the browser the cookie, where it had none.
        var cookie: HTTPHeader?
    }

    /// `gives` says whether a browser without a cookie is given one.
    func taker(of request: Request, at event: String, gives: Bool) -> Taker {
        let author = device(of: request, at: event)
        if let known = device(of: request, as: .takes(event: event)) {
            return Taker(device: known, author: author)
        }
        guard gives else { return Taker(device: "", author: author) }
        let (id, cookie) = newDevice(.takes(event: event))
        return Taker(device: id, author: author, cookie: cookie)
    }
}
