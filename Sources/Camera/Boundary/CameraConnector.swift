public import Bridge

/// What is known of a body that has said who it is: its identity there is the one that it bears from then on. Nothing when
/// it was never met.
public typealias BodyMemory = @Sendable (KnownBody) async throws -> KnownBody?

/// How to reach and greet one camera, given what discovery, the operator and earlier connections know of it.
public protocol CameraConnector: Sendable {
    /// Where it is, for messages: `192.168.1.1:15740`.
    var place: String { get }

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
    /// The camera has let us in.
    case letIn
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
