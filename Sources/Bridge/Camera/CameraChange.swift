/// What a camera tells by itself, or what is noticed about it.
public enum CameraChange: Equatable, Sendable {
    case added(PhotoReference)
    case changed(PhotoReference)
    case removed(PhotoReference)
    /// Something may have come: look at the list again.
    case mayHaveMore
    /// A card came or went, or notices were lost: references may mean other photos now.
    case cardsChanged
    /// It says that it is busy, or has stopped saying so.
    case busy(Bool)
    /// Something about the body is known now that was not.
    case learned(KnownBody)
    /// Something odd that costs nothing, in a sentence.
    case remark(String)
}
