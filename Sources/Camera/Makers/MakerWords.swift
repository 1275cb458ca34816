import Bridge
import PTP

/// What the person beside a body is told, in the words of its maker's menus: nothing where the general words do.
protocol MakerWords {
    /// What to do while the body has not answered the greeting, as part of a sentence.
    static var whileSilent: String? { get }
    static func advice(on ending: Ending) -> String?
    static func advice(on code: ResponseCode) -> String?
}

extension Vendor {
    /// Nothing for makers without words of their own.
    var words: (any MakerWords.Type)? {
        switch self {
        case .canon: CanonWords.self
        case .sony: SonyWords.self
        case .kodak, .microsoft, .nikon, .pentax, .fuji, .samsung, .parrot, .panasonic, .olympus,
            .leica, .ricoh:
            nil
        }
    }

    /// Whose body is about to be connected to: as the operator says by choosing a driver, or as the body said that was here
    /// last.
    init?(of known: KnownBody?, _ choice: DriverChoice) {
        if case .maker(let name, _) = choice, let vendor = Vendor(rawValue: name) {
            self = vendor
        } else if let known,
            let vendor = Vendor.resolve(
                extensionID: 0, manufacturer: known.identity.manufacturer, model: known.identity.model)
        {
            self = vendor
        } else {
            return nil
        }
    }
}
