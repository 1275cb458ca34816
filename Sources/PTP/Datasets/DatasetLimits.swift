/// How much of each dataset is believed. A camera that sends more is refused while it sends.
public enum DatasetLimits {
    /// A Fuji X-H2 with 277 properties needs about 3 KiB.
    public static let deviceInfoBytes = 64 << 10
    public static let objectInfoBytes = 4 << 10
    public static let storageInfoBytes = 4 << 10
    /// A camera has a few slots.
    public static let storages = 32
    public static let storageIDsBytes = 4 + 4 * storages
    /// What a listing may hold unless the caller says otherwise.
    public static let handles = 1_000_000
    /// Codes are 16 bits, so no honest list of them is longer.
    public static let codes = 65_536
    /// Elements of one array-valued property.
    public static let propertyElements = 65_536
    /// Rows of an object property list.
    public static let propertyListRows = 4_000_000
}
