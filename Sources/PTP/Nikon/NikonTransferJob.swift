/// What AdvancedTransfer (0x9010) answers: the object that may be had now.
///
/// "Its answer describes the next object allowed", and how is not known of any body: the handle is taken from the
/// response's first parameter, or else from the first 32 bits of the data.
public struct NikonTransferJob: Equatable, Sendable {
    public let handle: ObjectHandle

    /// More than any description of an object needs.
    public static let mostBytes = 4096

    /// Nothing where no object is named.
    public init?(parameters: [UInt32], data: ArraySlice<UInt8>) {
        let inData =
            data.count >= 4 ? data.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } : 0
        let named = parameters.first { $0 != 0 } ?? inData
        guard named != 0, named != UInt32.max else { return nil }
        handle = ObjectHandle(rawValue: named)
    }

    /// How the job before ended, as the next question says it. The values are not known of any body either; these are the
    /// standard's own.
    public enum Status: UInt32, Sendable {
        case none = 0
        case taken = 0x2001
        case notTaken = 0x2007
    }
}
