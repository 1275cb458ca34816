public import Basics

/// Something that happened in a bridge, for all who show or follow it.
public enum BridgeNews: Equatable, Sendable {
    case camera(CameraNews)
    case upload(UploadEvent)
    case search(SearchNews)
    /// The operator's pause.
    case paused(Bool)
    /// A line that needs no understanding: what kind, the sentence for people, the facts for programs.
    case told(kind: String, String, facts: JSONValue, isWarning: Bool)
    /// A reader was too slow for so many.
    case missed(Int)
}
