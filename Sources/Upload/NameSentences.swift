import Bridge

/// What is said of a photo that gets no name at a destination.
enum NameSentence {
    static func noneFree(_ candidates: NameCandidates) -> String {
        noneFree(candidates.wanted, candidates)
    }

    /// `path` is its name as the operator would look for it.
    static func noneFree(_ path: String, _ candidates: NameCandidates) -> String {
        """
        \(path) and \(candidates.count - 1) names like it are taken by something else; tidy that folder up, or \
        give the destination another ?name=, such as {date}/{time}-{name}, and begin this photo again with 'tetherline retry'
        """
    }

    static func contested(_ name: String, at place: String) -> String {
        "\(place) calls the name \(name) taken and has nothing of that name; something else may be working on it"
    }
}
