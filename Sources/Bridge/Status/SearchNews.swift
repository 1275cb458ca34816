/// What a search for cameras has come to, for those who show it.
public enum SearchNews: Equatable, Sendable {
    /// A camera of the home is tethered there from now on.
    case tethers(place: String)
    /// No camera is tethered there any more.
    case leaves(place: String)
    /// It announces itself and is none of the home's: what it is, and what the operator can do.
    case new(place: String, name: String, advice: String)
    /// It is not there any more, or is one of the home's by now.
    case notNew(place: String)
}
