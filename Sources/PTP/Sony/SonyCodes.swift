/// What Sony adds to PTP, as far as photos need it. A body may know any of these only if its DeviceInfo lists it.
extension OperationCode {
    public static let sonyConnect = OperationCode(rawValue: 0x9201)
    public static let sonyExtendedDeviceInfo = OperationCode(rawValue: 0x9202)
    public static let sonyAllProperties = OperationCode(rawValue: 0x9209)
    public static let sonyOpenSession = OperationCode(rawValue: 0x9210)
    public static let sonyPartialLargeObject = OperationCode(rawValue: 0x9211)
    public static let sonySetTransferMode = OperationCode(rawValue: 0x9212)
    public static let sonyContentDates = OperationCode(rawValue: 0x923B)
    public static let sonyContentList = OperationCode(rawValue: 0x923C)
    public static let sonyContentData = OperationCode(rawValue: 0x923D)
    public static let sonyContentThumbnail = OperationCode(rawValue: 0x923E)
    public static let sonySendToComputer = OperationCode(rawValue: 0x9280)
    public static let sonySendToComputerStatus = OperationCode(rawValue: 0x9281)
}

extension EventCode {
    public static let sonyObjectAdded = EventCode(rawValue: 0xC201)
    public static let sonyObjectRemoved = EventCode(rawValue: 0xC202)
    public static let sonyPropertyChanged = EventCode(rawValue: 0xC203)
    public static let sonyCaptured = EventCode(rawValue: 0xC206)
    public static let sonyListChanged = EventCode(rawValue: 0xC234)
    public static let sonyContentPushed = EventCode(rawValue: 0xC235)
}

extension DevicePropertyCode {
    /// "Shooting File Info": what waits in the body's memory.
    public static let sonyShotsWaiting = DevicePropertyCode(rawValue: 0xD215)
    /// Where photos are written to.
    public static let sonySaveDestination = DevicePropertyCode(rawValue: 0xD222)
    /// 1 while the card can be listed in content-transfer mode.
    public static let sonyTransferEnabled = DevicePropertyCode(rawValue: 0xD295)
}

extension FormatCode {
    public static let sonyARW = FormatCode(rawValue: 0xB101)
}

extension ObjectHandle {
    /// "Always the oldest queued shot": the one handle under which a body in remote mode gives its photos.
    public static let sonyOldestShot = ObjectHandle(rawValue: 0xFFFF_C001)
}

/// Which photos of a shot wait in a body's memory (property 0xD215).
public struct SonyShotsWaiting: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let none = SonyShotsWaiting(rawValue: 0)

    /// "Bit 15 set, 0x8001 and more: ready." Asked for earlier, bodies have hung and crashed.
    public var isReady: Bool { rawValue > 0x8000 }

    /// Nothing has been shot, as far as the body tells.
    public var isNone: Bool { rawValue & 0x7FFF == 0 }
}

/// Where a body writes its photos (property 0xD222).
public struct SonySaveDestination: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let host = SonySaveDestination(rawValue: 0x01)
    public static let card = SonySaveDestination(rawValue: 0x10)
    public static let hostAndCard = SonySaveDestination(rawValue: 0x11)

    /// There is a second copy of every photo that the body gives.
    public var keepsCopyOnCard: Bool { rawValue & 0x10 != 0 }
    /// Photos are given to a computer at all.
    public var givesToHost: Bool { rawValue & 0x01 != 0 }
}

/// Which rules a body's datasets follow: what is asked for with 0x9202, and what it answers there.
public struct SonyVersion: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let two = SonyVersion(rawValue: 0x00C8)
    public static let three = SonyVersion(rawValue: 0x012C)

    public static func < (left: SonyVersion, right: SonyVersion) -> Bool { left.rawValue < right.rawValue }

    /// "An enumeration carries two lists: settable values, then gettable ones."
    public var enumeratesTwice: Bool { self >= .three }
}

/// What "Send to Computer" begins and ends with: the data of 0x9280, which is followed by 0x9281.
public enum SonySendToComputer {
    /// The one parameter of both operations.
    public static let parameter: UInt32 = 4

    public static let start: [UInt8] = words([2, 2, 0, 0]) + [1, 1]
    /// The body may switch itself off after it.
    public static let end: [UInt8] = words([0, 5, 0, 0])

    private static func words(_ numbers: [UInt32]) -> [UInt8] {
        var writer = ByteWriter()
        for number in numbers { writer.append(number) }
        return writer.bytes
    }
}
