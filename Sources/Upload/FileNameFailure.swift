import Bridge

/// Why a photo gets no name at a destination.
enum FileNameFailure: Equatable {
    /// `path` is the name that it ought to have, as the operator would look for it.
    case noneFree(path: String, tried: Int)
    case contested(String, place: String)
}

extension FileNameFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .noneFree(let path, let tried):
            """
            \(path) and \(tried - 1) names like it are taken by something else; tidy that folder up, or \
            give the destination another ?name=, such as {date}/{time}-{name}, and begin this photo again with \
            'tetherline retry'
            """
        case .contested(let name, let place):
            "\(place) calls the name \(name) taken and has nothing of that name; something else may be working on it"
        }
    }
}
