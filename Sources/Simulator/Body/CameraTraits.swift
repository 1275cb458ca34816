package import PTP

/// What a camera says of itself in DeviceInfo. Its maker, its model and its serial number are the card's settings,
/// because photos say them as well.
package struct CameraTraits: Sendable {
    package var operations: OperationTable
    package var vendorExtensionID: UInt32
    package var vendorExtensionVersion: UInt16
    package var vendorExtensionDescription = ""
    package var deviceVersion = "1.0"
    package var events: [EventCode]
    /// The maker's own, besides those that all have.
    package var properties: [DevicePropertyCode] = []
}
