public import Bridge

/// What is known of a body that has said who it is: its identity there is the one that it bears from then on. Nothing when
/// it was never met.
public typealias BodyMemory = @Sendable (KnownBody) async throws -> KnownBody?

/// How to reach and greet one camera, given what discovery, the operator and earlier connections know of it.
public protocol CameraConnector: Sendable {
    /// Where it is, for messages: `192.168.1.1:15740`.
    var place: String { get }

    /// How connections to the body are spaced that is expected there, by what is known of it.
    func pace(_ usual: ConnectionLife.Settings, knowing known: KnownBody?) -> ConnectionLife.Settings

    /// Where on that body its connection is switched on, in a sentence; nothing where that is not known.
    func advice(knowing known: KnownBody?) -> String?

    /// Connects, greets, lets `use` work with the camera, and says goodbye in order, whatever happened. `known` is the
    /// body that answered here last; another one may answer now. Once it has said who it is, `recall` says what is known
    /// of it where that is another.
    func connected<Result: Sendable>(
        knowing known: KnownBody?, recalling recall: BodyMemory,
        onStep: @escaping @Sendable (ConnectionStep) -> Void,
        _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result
}

extension CameraConnector {
    public func pace(_ usual: ConnectionLife.Settings, knowing known: KnownBody?) -> ConnectionLife.Settings {
        usual
    }

    public func advice(knowing known: KnownBody?) -> String? { nil }

    /// For a caller that knows no other body.
    public func connected<Result: Sendable>(
        knowing known: KnownBody?, onStep: @escaping @Sendable (ConnectionStep) -> Void,
        _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await connected(knowing: known, recalling: { _ in nil }, onStep: onStep, use)
    }
}

/// What happens on the way to a usable camera.
public enum ConnectionStep: Equatable, Sendable {
    case connecting(String)
    /// The camera probably shows a question. What the person beside it has to do, in a sentence.
    case waitingForPerson(String)
    /// It has let us in and shows a code. What it is and what the person beside it has to do, in a sentence.
    case confirmingCode(String)
    /// The camera has let us in.
    case letIn
}

extension ConnectionStep {
    /// What it is to the life of the connection, where the camera waits for a person, and what that person is told.
    public var question: (happening: ConnectionLife.Happening, sentence: String)? {
        switch self {
        case .waitingForPerson(let sentence): (.cameraAsks, sentence)
        case .confirmingCode(let sentence): (.cameraShowsCode, sentence)
        case .connecting, .letIn: nil
        }
    }
}

/// Of one object that ends connections a second one is spent to find out; a card of such objects is no card.
private let mostLeftOut = 20

extension CameraConnector {
    /// For a caller that only lists everything there is: when the connection ends over one object, it is made
    /// again and that object is not asked about any more.
    public func looking<Result: Sendable>(
        knowing known: KnownBody?, recalling recall: @escaping BodyMemory = { _ in nil },
        onStep: @escaping @Sendable (ConnectionStep) -> Void,
        _ look: @Sendable (any CameraDriver, SurveyOptions) async throws -> Result
    ) async throws -> Result {
        var wish = SurveyOptions()
        var places: Set<Int> = []
        while true {
            do {
                let wish = wish
                return try await connected(knowing: known, recalling: recall, onStep: onStep) {
                    try await look($0, wish)
                }
            } catch let failure as CameraFailure {
                guard case .connectionOver(_, mayBeItsDoing: true) = failure.trouble,
                    let object = failure.object,
                    wish.puttingOff.insert(object.reference).inserted, wish.puttingOff.count <= mostLeftOut
                else { throw failure }
                // At the same place again: the body has another name for it in each connection.
                if let place = object.place, !places.insert(place).inserted {
                    wish.puttingOffPlaces.insert(place)
                }
            }
        }
    }
}
