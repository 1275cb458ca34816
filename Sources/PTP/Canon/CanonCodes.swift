/// Canon's own numbers, as far as a tether needs them. They mean something else to other makers.
extension OperationCode {
    public enum Canon {
        public static let keepDeviceOnPowerShot = OperationCode(rawValue: 0x9003)
        public static let getStorageIDs = OperationCode(rawValue: 0x9101)
        public static let getStorageInfo = OperationCode(rawValue: 0x9102)
        public static let getPartialObject = OperationCode(rawValue: 0x9107)
        public static let getObjectInfoEx = OperationCode(rawValue: 0x9109)
        public static let setObjectAttributes = OperationCode(rawValue: 0x910C)
        public static let setDevicePropValueEx = OperationCode(rawValue: 0x9110)
        public static let setRemoteMode = OperationCode(rawValue: 0x9114)
        public static let setEventMode = OperationCode(rawValue: 0x9115)
        public static let getEvent = OperationCode(rawValue: 0x9116)
        public static let transferComplete = OperationCode(rawValue: 0x9117)
        public static let cancelTransfer = OperationCode(rawValue: 0x9118)
        public static let hostDiskCapacity = OperationCode(rawValue: 0x911A)
        public static let setUILock = OperationCode(rawValue: 0x911B)
        public static let resetUILock = OperationCode(rawValue: 0x911C)
        public static let keepDeviceOn = OperationCode(rawValue: 0x911D)
        public static let remoteReleaseOn = OperationCode(rawValue: 0x9128)
        public static let remoteReleaseOff = OperationCode(rawValue: 0x9129)
        public static let getPartialObjectEx = OperationCode(rawValue: 0x912C)
        public static let setRequestOLCInfoGroup = OperationCode(rawValue: 0x913D)
        public static let getObjectInfo64 = OperationCode(rawValue: 0x9170)
        public static let getPartialObject64 = OperationCode(rawValue: 0x9172)
        public static let getPartialObjectEx64 = OperationCode(rawValue: 0x9174)
    }
}

extension ResponseCode {
    public enum Canon {
        public static let unknownCommand = ResponseCode(rawValue: 0xA001)
        public static let operationRefused = ResponseCode(rawValue: 0xA005)
        public static let lensCoverClosed = ResponseCode(rawValue: 0xA006)
        public static let lowBattery = ResponseCode(rawValue: 0xA101)
        /// "Object not ready when asked too early."
        public static let objectNotReady = ResponseCode(rawValue: 0xA102)
        public static let cannotMakeObject = ResponseCode(rawValue: 0xA104)
        public static let memoryStatusNotReady = ResponseCode(rawValue: 0xA106)
    }
}

extension EventCode {
    public enum Canon {
        /// Pushed on the event link by some bodies: there is something to ask for with GetEvent.
        public static let requestGetEvent = EventCode(rawValue: 0xC101)
    }
}

extension FormatCode {
    public enum Canon {
        public static let cr2 = FormatCode(rawValue: 0xB103)
        public static let cr3 = FormatCode(rawValue: 0xB108)
    }
}

extension RetryRule {
    /// "0xA102 when asked too early: retry 250 ms up to 5 s; never treat as permanent."
    public static let canonNotReady = RetryRule(
        ResponseCode.Canon.objectNotReady, pause: .milliseconds(250), limit: .seconds(5))
}
