/// Everything a camera says of itself, for people.
public struct BodyFacts: Equatable, Sendable {
    /// A card slot and what is in it.
    public struct Store: Equatable, Sendable {
        public var name: String
        /// Nothing in it, or the camera does not say.
        public var isEmpty: Bool
        public var text: String
        public var label: String
        public var capacity: UInt64?
        public var free: UInt64?

        public init(
            name: String, isEmpty: Bool, text: String = "", label: String = "", capacity: UInt64? = nil,
            free: UInt64? = nil
        ) {
            self.name = name
            self.isEmpty = isEmpty
            self.text = text
            self.label = label
            self.capacity = capacity
            self.free = free
        }
    }

    /// What it calls itself to those who connect.
    public var name: String?
    public var wireID: String?
    public var manufacturer = ""
    public var model = ""
    public var version = ""
    public var serial = ""
    /// Whose words it speaks, where that is known.
    public var dialect: String?
    public var operations: [String] = []
    public var stores: [Store] = []
    /// Why its cards could not be looked at.
    public var storesProblem: String?

    public init() {}
}

/// Something a camera told, as it told it, for people who look.
public struct RawNotice: Equatable, Sendable {
    /// In one line.
    public var text: String
    public var code: String
    public var name: String
    public var transaction: UInt64?
    public var parameters: [UInt64]

    public init(
        text: String, code: String, name: String, transaction: UInt64? = nil, parameters: [UInt64] = []
    ) {
        self.text = text
        self.code = code
        self.name = name
        self.transaction = transaction
        self.parameters = parameters
    }
}
