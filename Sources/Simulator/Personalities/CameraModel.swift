/// The cameras that can be simulated, by the names that `camsim --model` knows.
///
/// This is the one place where a personality becomes a model: a new one is a folder beside `Generic` and an entry in
/// ``all``.
public struct CameraModel: Sendable {
    public let name: String
    /// What it is like, in a line for `camsim --list-models`, with the sentence that is known of such bodies in quotes.
    public let summary: String
    /// What its photos and its DeviceInfo say of it, before anything is on the card: maker, model, file names.
    let dressing: @Sendable (inout VirtualCard.Settings) -> Void
    let making: @Sendable (VirtualCard) -> any Personality

    public static let all: [CameraModel] = [
        generic,
        canonR6, canon80D, canonM50,
        nikonD7200, nikonZ6, nikonZ6II, nikonZ8,
        sonyA7M3, sonyA7M4, sonyRX100M7,
    ]

    /// The one that there is without choosing.
    public static let generic = CameraModel(
        name: "generic",
        summary:
            "PTP/IP as PIMA 15740 and CIPA DC-X005 have it, with MTP's properties of objects; pushes its notices",
        dressing: { _ in }, making: { GenericPersonality(card: $0) })

    public static func named(_ name: String) -> CameraModel? {
        all.first { $0.name == name }
    }

    public func dress(_ settings: inout VirtualCard.Settings) { dressing(&settings) }

    package func personality(_ card: VirtualCard) -> any Personality { making(card) }
}
