package import PTP

/// Something that has happened in a camera and that a client is told of: pushed as the standard has it, or put into a
/// maker's own words.
package enum CardNotice: Equatable, Sendable {
    case objectAdded(ObjectHandle)
    case captureComplete
    case storeAdded(StorageID)
    case storeRemoved(StorageID)
    case storeFull(StorageID)
    case propertyChanged(DevicePropertyCode)

    /// As the standard has it.
    package var notice: EventPacket {
        switch self {
        case .objectAdded(let handle): EventPacket(code: .objectAdded, parameters: [handle.rawValue])
        case .captureComplete: EventPacket(code: .captureComplete)
        case .storeAdded(let storage): EventPacket(code: .storeAdded, parameters: [storage.rawValue])
        case .storeRemoved(let storage): EventPacket(code: .storeRemoved, parameters: [storage.rawValue])
        case .storeFull(let storage): EventPacket(code: .storeFull, parameters: [storage.rawValue])
        case .propertyChanged(let property):
            EventPacket(code: .devicePropChanged, parameters: [UInt32(property.rawValue)])
        }
    }
}
