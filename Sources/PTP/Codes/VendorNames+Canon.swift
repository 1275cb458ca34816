extension VendorNames {
    static let canon = VendorNames(
        operations: [
            0x902F: "PairingInit", 0x9030: "SetPairingInfo", 0x9031: "GetPairingInfo",
            0x9032: "DeletePairingInfo",
            0x9033: "GetMACAddress", 0x9101: "GetStorageIDs", 0x9102: "GetStorageInfo",
            0x9103: "GetObjectInfo",
            0x9104: "GetObject", 0x9107: "GetPartialObject", 0x9108: "GetDeviceInfoEx",
            0x9109: "GetObjectInfoEx",
            0x910A: "GetThumbEx", 0x910C: "SetObjectAttributes", 0x9110: "SetDevicePropValueEx",
            0x9114: "SetRemoteMode", 0x9115: "SetEventMode", 0x9116: "GetEvent", 0x9117: "TransferComplete",
            0x9118: "CancelTransfer", 0x9119: "ResetTransfer", 0x911A: "PCHDDCapacity", 0x911B: "SetUILock",
            0x911C: "ResetUILock", 0x911D: "KeepDeviceOn", 0x912C: "GetPartialObjectEx",
            0x913D: "SetRequestOLCInfoGroup", 0x9170: "GetObjectInfo64", 0x9171: "GetObject64",
            0x9172: "GetPartialObject64", 0x9174: "GetPartialObjectEX64",
        ],
        responses: [
            0xA001: "UnknownCommand", 0xA005: "OperationRefused", 0xA006: "LensCoverClosed",
            0xA101: "LowBattery",
            0xA102: "ObjectNotReady", 0xA104: "CannotMakeObject", 0xA106: "MemoryStatusNotReady",
        ],
        events: [
            0xC101: "RequestGetEvent", 0xC181: "ObjectAddedEx", 0xC182: "ObjectRemoved",
            0xC184: "StorageStatusChanged", 0xC185: "StorageInfoChanged", 0xC186: "RequestObjectTransfer",
            0xC187: "ObjectInfoChangedEx", 0xC188: "ObjectContentChanged", 0xC189: "PropValueChanged",
            0xC18A: "AvailListChanged", 0xC18B: "CameraStatusChanged", 0xC18D: "WillSoonShutdown",
            0xC18E: "ShutdownTimerUpdated", 0xC18F: "RequestCancelTransfer",
            0xC191: "RequestCancelTransferDT",
            0xC192: "StoreAdded", 0xC193: "StoreRemoved", 0xC1A5: "OLCInfoChanged", 0xC1A7: "ObjectAddedEx64",
            0xC1A8: "ObjectInfoChangedEx64", 0xC1A9: "RequestObjectTransfer64", 0xC1B6: "ObjectAddedEx64LFN",
            0xC1B7: "ObjectInfoChangedEx64LFN", 0xC1B8: "RequestObjectTransfer64LFN",
        ],
        formats: [0xB101: "CRW", 0xB103: "CR2", 0xB104: "MOV", 0xB105: "MOV", 0xB108: "CR3"])

    static let nikon = VendorNames(
        operations: [
            0x9010: "AdvancedTransfer", 0x9011: "GetFileInfoInBlock", 0x90C2: "ChangeCameraMode",
            0x90C3: "DelImageSDRAM", 0x90C4: "GetLargeThumb", 0x90C7: "GetEvent", 0x90C8: "DeviceReady",
            0x90CA: "GetVendorPropCodes", 0x90E0: "GetDevicePTPIPInfo", 0x9209: "GetVendorStorageIDs",
            0x920F: "GetFhdPicture", 0x935A: "ConfirmPairing", 0x9400: "GetPartialObjectHiSpeed",
            0x9408: "GetTransferList", 0x940B: "GetSpecificSizeObject", 0x940C: "CancelImagesInSDRAM",
            0x941C: "GetEventEx", 0x9421: "GetObjectSize", 0x9431: "GetPartialObjectEx",
            0x9434: "GetObjectsMetaData", 0x9435: "ChangeApplicationMode", 0x9439: "GetVendorCodes",
            0x952B: "GetPairingInfo",
        ],
        responses: [
            0xA001: "HardwareError", 0xA002: "OutOfFocus", 0xA003: "ChangeCameraModeFailed",
            0xA004: "InvalidStatus", 0xA005: "SetPropertyNotSupported", 0xA006: "WbResetError",
            0xA007: "DustReferenceError", 0xA008: "ShutterSpeedBulb", 0xA009: "MirrorUpSequence",
            0xA00A: "CameraModeNotAdjustFNumber", 0xA00B: "NotLiveView", 0xA00F: "NoFullHD",
            0xA021: "StoreError",
            0xA022: "StoreUnformatted", 0xA081: "NoTransferList",
        ],
        events: [
            0xC101: "ObjectAddedInSDRAM", 0xC102: "CaptureCompleteRecInSdram", 0xC103: "AdvancedTransfer",
            0xC104: "PreviewImageAdded", 0xC105: "MovieInterrupted", 0xC108: "MovieComplete",
            0xC10A: "MovieStarted",
        ])
}
