import Bridge
public import PTP

/// A card slot and what is in it.
public struct Storage: Equatable, Sendable {
    public let id: StorageID
    /// Nothing where the slot is empty or the camera does not say (Nikon lists placeholders).
    public let info: StorageInfo?
}

extension CameraSession {
    /// Asks once; what a camera can do changes only with its mode.
    public func device() async throws(CameraError) -> DeviceInfo {
        if let knownDevice { return knownDevice }
        return try await deviceAgain()
    }

    /// Asks anew, after another mode was entered.
    func deviceAgain() async throws(CameraError) -> DeviceInfo {
        let device = try await ask(
            .getDeviceInfo, limit: DatasetLimits.deviceInfoBytes, timeout: options.timeouts.openSession
        ) {
            bytes throws(Malformed) in try DeviceInfo(decoding: bytes)
        }
        met(device)
        return device
    }

    /// A camera without a serial number is known by its GUID.
    func identity(of device: DeviceInfo) -> CameraIdentity {
        CameraIdentity(
            manufacturer: device.manufacturer, model: device.model,
            body: device.usableSerial ?? peer.map { "\($0.guid)" } ?? "")
    }

    public func storages() async throws(CameraError) -> [Storage] {
        var storages: [Storage] = []
        for id in try await storageIDs() {
            guard id.hasMedium else {
                storages.append(Storage(id: id, info: nil))
                continue
            }
            do throws(CameraError) {
                let info = try await ask(
                    .getStorageInfo, [id.rawValue], limit: DatasetLimits.storageInfoBytes,
                    whole: StorageInfo.shortestWhole, about: "storage \(id)"
                ) { bytes throws(Malformed) in try StorageInfo(decoding: bytes) }
                storages.append(Storage(id: id, info: info))
            } catch {
                switch error.problem {
                case .answered where error.isHarmless, .malformed, .tooMuchData, .dataCutShort:
                    storages.append(Storage(id: id, info: nil))
                default: throw error
                }
            }
        }
        return storages
    }

    /// A small JPEG. Small enough to hold; larger than ``thumbnailLimit`` it is none.
    public func thumbnail(of object: ObjectHandle) async throws(CameraError) -> [UInt8] {
        try await demand(
            Call(.getThumb, [object.rawValue], data: .incoming(limit: Self.thumbnailLimit)),
            about: "object \(object)"
        ).data
    }

    /// EXIF thumbnails have at most 64 KiB; some bodies send larger previews.
    public static let thumbnailLimit = 4 << 20

    public func delete(_ object: ObjectHandle) async throws(CameraError) {
        _ = try await demand(Call(.deleteObject, [object.rawValue]), about: "object \(object)")
    }
}

extension DeviceInfo {
    /// Cameras without a serial number send zeros, spaces or nothing.
    var usableSerial: String? {
        serialNumber.contains { $0 != " " && $0 != "0" } ? serialNumber : nil
    }
}
