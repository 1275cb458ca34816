public import Bridge
import PTP

extension CameraSession {
    /// What a listing holds that may be wanted: every object that is no folder.
    public func offers(in listing: Listing) async throws(CameraError) -> [Offer] {
        let device = try await device()
        return listing.objects.filter { !$0.info.isFolder }.map { offer($0, device) }
    }

    /// Cameras without a serial number send zeros, spaces or nothing; then it is known by its GUID.
    func identity(of device: DeviceInfo) -> CameraIdentity {
        let serial = device.serialNumber.filter { $0 != " " && $0 != "0" }
        return CameraIdentity(
            manufacturer: device.manufacturer, model: device.model,
            body: serial.isEmpty ? peer.map { "\($0.guid)" } ?? "" : device.serialNumber)
    }

    private func offer(_ object: ListedObject, _ device: DeviceInfo) -> Offer {
        let camera = identity(of: device)
        var offer = Offer(
            identity: PhotoIdentity(
                manufacturer: camera.manufacturer, model: camera.model, body: camera.body,
                slot: object.info.storage.slot, folders: object.folders, name: object.info.fileName,
                size: object.size ?? UInt64(object.info.compressedSize), captureDate: object.info.captureDate,
                format: object.info.format.rawValue),
            reference: PhotoReference(object.handle))
        // It lies in no slot: a buffer that the camera wants back.
        offer.isInMemory = object.info.storage.rawValue == 0
        offer.isProtected = object.info.isProtected
        offer.sequence = object.info.sequenceNumber
        return offer
    }
}
