public struct ResponseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let ok = ResponseCode(rawValue: 0x2001)
    public static let sessionNotOpen = ResponseCode(rawValue: 0x2003)
    public static let invalidTransactionID = ResponseCode(rawValue: 0x2004)
    public static let operationNotSupported = ResponseCode(rawValue: 0x2005)
    public static let deviceBusy = ResponseCode(rawValue: 0x2019)
    public static let sessionAlreadyOpen = ResponseCode(rawValue: 0x201E)
    public static let transactionCancelled = ResponseCode(rawValue: 0x201F)
    public static let invalidParameter = ResponseCode(rawValue: 0x201D)
    public static let incompleteTransfer = ResponseCode(rawValue: 0x2007)
}
