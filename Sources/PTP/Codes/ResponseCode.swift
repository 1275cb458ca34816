/// How an operation ended.
public struct ResponseCode: OpenCode {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let ok = ResponseCode(rawValue: 0x2001)
    public static let generalError = ResponseCode(rawValue: 0x2002)
    public static let sessionNotOpen = ResponseCode(rawValue: 0x2003)
    public static let invalidTransactionID = ResponseCode(rawValue: 0x2004)
    public static let operationNotSupported = ResponseCode(rawValue: 0x2005)
    public static let parameterNotSupported = ResponseCode(rawValue: 0x2006)
    public static let incompleteTransfer = ResponseCode(rawValue: 0x2007)
    public static let invalidStorageID = ResponseCode(rawValue: 0x2008)
    public static let invalidObjectHandle = ResponseCode(rawValue: 0x2009)
    public static let devicePropNotSupported = ResponseCode(rawValue: 0x200A)
    public static let invalidObjectFormatCode = ResponseCode(rawValue: 0x200B)
    public static let storeFull = ResponseCode(rawValue: 0x200C)
    public static let objectWriteProtected = ResponseCode(rawValue: 0x200D)
    public static let storeReadOnly = ResponseCode(rawValue: 0x200E)
    public static let accessDenied = ResponseCode(rawValue: 0x200F)
    public static let noThumbnailPresent = ResponseCode(rawValue: 0x2010)
    public static let selfTestFailed = ResponseCode(rawValue: 0x2011)
    public static let partialDeletion = ResponseCode(rawValue: 0x2012)
    public static let storeNotAvailable = ResponseCode(rawValue: 0x2013)
    public static let specificationByFormatUnsupported = ResponseCode(rawValue: 0x2014)
    public static let noValidObjectInfo = ResponseCode(rawValue: 0x2015)
    public static let invalidCodeFormat = ResponseCode(rawValue: 0x2016)
    public static let unknownVendorCode = ResponseCode(rawValue: 0x2017)
    public static let captureAlreadyTerminated = ResponseCode(rawValue: 0x2018)
    public static let deviceBusy = ResponseCode(rawValue: 0x2019)
    public static let invalidParentObject = ResponseCode(rawValue: 0x201A)
    public static let invalidDevicePropFormat = ResponseCode(rawValue: 0x201B)
    public static let invalidDevicePropValue = ResponseCode(rawValue: 0x201C)
    public static let invalidParameter = ResponseCode(rawValue: 0x201D)
    public static let sessionAlreadyOpen = ResponseCode(rawValue: 0x201E)
    public static let transactionCancelled = ResponseCode(rawValue: 0x201F)
    public static let specificationOfDestinationUnsupported = ResponseCode(rawValue: 0x2020)
    public static let invalidEnumHandle = ResponseCode(rawValue: 0x2021)
    public static let noStreamEnabled = ResponseCode(rawValue: 0x2022)
    public static let invalidDataSet = ResponseCode(rawValue: 0x2023)
    public static let invalidObjectPropCode = ResponseCode(rawValue: 0xA801)
    public static let objectPropNotSupported = ResponseCode(rawValue: 0xA80A)
}

extension ResponseCode {
    public static let standardNames: [UInt16: String] = [
        0x2001: "OK",
        0x2002: "General_Error",
        0x2003: "Session_Not_Open",
        0x2004: "Invalid_TransactionID",
        0x2005: "Operation_Not_Supported",
        0x2006: "Parameter_Not_Supported",
        0x2007: "Incomplete_Transfer",
        0x2008: "Invalid_StorageID",
        0x2009: "Invalid_ObjectHandle",
        0x200A: "DeviceProp_Not_Supported",
        0x200B: "Invalid_ObjectFormatCode",
        0x200C: "Store_Full",
        0x200D: "Object_WriteProtected",
        0x200E: "Store_Read_Only",
        0x200F: "Access_Denied",
        0x2010: "No_Thumbnail_Present",
        0x2011: "SelfTest_Failed",
        0x2012: "Partial_Deletion",
        0x2013: "Store_Not_Available",
        0x2014: "Specification_By_Format_Unsupported",
        0x2015: "No_Valid_ObjectInfo",
        0x2016: "Invalid_Code_Format",
        0x2017: "Unknown_Vendor_Code",
        0x2018: "Capture_Already_Terminated",
        0x2019: "Device_Busy",
        0x201A: "Invalid_ParentObject",
        0x201B: "Invalid_DeviceProp_Format",
        0x201C: "Invalid_DeviceProp_Value",
        0x201D: "Invalid_Parameter",
        0x201E: "Session_Already_Open",
        0x201F: "Transaction_Cancelled",
        0x2020: "Specification_of_Destination_Unsupported",
        0x2021: "Invalid_EnumHandle",
        0x2022: "No_Stream_Enabled",
        0x2023: "Invalid_DataSet",
        0xA801: "Invalid_ObjectPropCode",
        0xA80A: "ObjectProp_Not_Supported",
    ]

    public static func vendorNames(_ vendor: Vendor) -> [UInt16: String] {
        VendorNames.of(vendor).responses
    }
}
