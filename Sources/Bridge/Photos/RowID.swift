/// The number of a row of the ledger. What it is a row of is part of its type, so that no job's number is taken for a
/// photo's.
@frozen
public struct RowID<Row>: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: Int64

    @inlinable
    public init(_ number: Int64) {
        self.number = number
    }

    public var description: String { String(number) }

    @inlinable
    public static func == (left: RowID, right: RowID) -> Bool { left.number == right.number }
    @inlinable
    public static func < (left: RowID, right: RowID) -> Bool { left.number < right.number }
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}

public typealias CaptureID = RowID<Capture>
public typealias CameraID = RowID<CameraIdentity>
public typealias JobID = RowID<Job>
public typealias DestinationID = RowID<DestinationKind>
