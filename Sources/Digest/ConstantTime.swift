/// Compares secrets: wherever the first difference is, it takes the same time.
package enum ConstantTime {
    private static let key = Array("compared".utf8)

    package static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        HMACSHA256.isCode(HMACSHA256.code(of: left, key: key), of: right, key: key)
    }
}
