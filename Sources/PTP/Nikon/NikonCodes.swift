extension OperationCode {
    /// "It blocks until a picture is queued; its answer describes the next object allowed."
    public static let nikonAdvancedTransfer = OperationCode(rawValue: 0x9010)
    public static let nikonDeleteImageInMemory = OperationCode(rawValue: 0x90C3)
    public static let nikonGetLargeThumb = OperationCode(rawValue: 0x90C4)
    public static let nikonGetEvent = OperationCode(rawValue: 0x90C7)
    /// "0x2019 while busy."
    public static let nikonDeviceReady = OperationCode(rawValue: 0x90C8)
    public static let nikonInitiateCaptureToMedia = OperationCode(rawValue: 0x9207)
    public static let nikonGetVendorStorageIDs = OperationCode(rawValue: 0x9209)
    public static let nikonConfirmPairing = OperationCode(rawValue: 0x935A)
    public static let nikonGetEventEx = OperationCode(rawValue: 0x941C)
    public static let nikonGetObjectSize = OperationCode(rawValue: 0x9421)
    /// Handle, offset and count of 64 bits each.
    public static let nikonGetPartialObjectEx = OperationCode(rawValue: 0x9431)
    public static let nikonChangeApplicationMode = OperationCode(rawValue: 0x9435)
    public static let nikonGetVendorCodes = OperationCode(rawValue: 0x9439)
    public static let nikonGetPairingInfo = OperationCode(rawValue: 0x952B)
}

extension DevicePropertyCode {
    /// One byte: 1 while a computer works with a body that has no operation for it.
    public static let nikonApplicationMode = DevicePropertyCode(rawValue: 0xD1F0)
}

extension EventCode {
    public static let nikonObjectAddedInMemory = EventCode(rawValue: 0xC101)
    public static let nikonCaptureCompleteInMemory = EventCode(rawValue: 0xC102)
    public static let nikonAdvancedTransfer = EventCode(rawValue: 0xC103)
}

extension ResponseCode {
    public static let nikonHardwareError = ResponseCode(rawValue: 0xA001)
    public static let nikonStoreError = ResponseCode(rawValue: 0xA021)
    /// Or that the card is not formatted: it has two names.
    public static let nikonAdvancedTransferCancelled = ResponseCode(rawValue: 0xA022)
    public static let nikonNoTransferList = ResponseCode(rawValue: 0xA081)
}

extension ObjectHandle {
    /// "0xC101's parameter may be 0: handle 0xFFFF0001."
    public static let nikonInMemory = ObjectHandle(rawValue: 0xFFFF_0001)
}
