/// What a place that keeps files did instead of keeping one.
enum ServerFailure: Equatable {
    /// It said that it has all of it.
    case incomplete(host: String, has: UInt64?, of: UInt64)
    /// A WebDAV server's answer, and what it means there.
    case refused(host: String, method: String, status: Int, Refusal)
    /// The answer redirects to the same host by HTTPS.
    case plainDoor(host: String)
    /// A log-in page of the network, most likely.
    case stranger(host: String, status: Int)
    /// Of a trial: the file came, and did not come back as it was.
    case notReadBack(name: String, place: String)
    /// Of a trial.
    case notRemoved(name: String, place: String)
    /// Of a trial: the file came, and then something was refused.
    case refusedAfterwards(name: String, String)
    /// A copy differs from the photo, which is as it was.
    case damagedCopy(path: String)

    enum Refusal: Equatable {
        case unknownUser
        case forbidden(folder: String)
        case noFolder(String)
        case noWebDAV
        case elsewhere
        case tooLarge
        case unexplained
    }
}

extension ServerFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .incomplete(let host, let has, let all):
            "\(host) has \(has.map { "\($0)" } ?? "none") of \(all) bytes after it said that it has all"
        case .refused(let host, let method, let status, let refusal):
            "\(host) answers \(method) with \(status)\(refusal.sentence.map { ": \($0)" } ?? "")"
        case .plainDoor(let host): "\(host) leads everything to HTTPS; write webdavs:// instead of webdav://"
        case .stranger(let host, let status):
            "\(host) answers everything with \(status), as a log-in page of the network does and a WebDAV server does not; "
                + "log in to this network, or correct the destination"
        case .notReadBack(let name, let place):
            "\(place) took \(name) and does not give it back as it was; photos there cannot be told from others of their "
                + "name: let this user read there as well"
        case .notRemoved(let name, let place):
            "\(place) still has \(name) after it was removed; let this user remove files there as well"
        case .refusedAfterwards(let name, let refusal): "\(name) arrived, and then: \(refusal)"
        case .damagedCopy(let path):
            "a copy of \(path) has another SHA-256 than the photo; the disk may be failing"
        }
    }
}

extension ServerFailure.Refusal {
    fileprivate var sentence: String? {
        switch self {
        case .unknownUser: "it does not know this user, or not this password"
        case .forbidden(let folder): "this user may not do that in \(folder)"
        case .noFolder(let folder): "is there a folder \(folder)?"
        case .noWebDAV: "it does no WebDAV there"
        case .elsewhere: "it is somewhere else; correct the destination"
        case .tooLarge: "it does not take a photo this large"
        case .unexplained: nil
        }
    }
}
