import CPostgres
import Database

/// Values as the server sends them in its binary form: whole numbers as they lie on the wire, bytes without two digits for
/// each. Text would cost a conversion at either end.
enum BinaryValue {
    /// What is of a type that none of our statements asks for stays bytes, which no caller takes for anything else.
    static func read(_ bytes: UnsafeRawBufferPointer, _ type: Oid) -> Value {
        switch type {
        // int8, int2, int4, oid
        case 20: whole(bytes, Int64.self)
        case 21: whole(bytes, Int16.self)
        case 23: whole(bytes, Int32.self)
        case 26: whole(bytes, UInt32.self)
        case 16: bytes.first.map { .integer($0 == 0 ? 0 : 1) } ?? .blob([])
        case 700:
            number(bytes, UInt32.self).map { .real(Double(Float(bitPattern: $0))) } ?? .blob(Array(bytes))
        case 701: number(bytes, UInt64.self).map { .real(Double(bitPattern: $0)) } ?? .blob(Array(bytes))
        // A sum of whole numbers is a numeric.
        case 1700: numeric(bytes) ?? .blob(Array(bytes))
        // text, varchar, char(n), name, json, and literals whose type was left open
        case 25, 1043, 1042, 19, 114, 705: .text(String(decoding: bytes, as: UTF8.self))
        default: .blob(Array(bytes))
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _: Number.Type
    ) -> Number? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    private static func whole<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ type: Number.Type
    ) -> Value {
        number(bytes, type).map { .integer(Int64($0)) } ?? .blob(Array(bytes))
    }

    /// Digits to the base of 10,000 (numeric_send): their count, the power of the first one, the sign, how many decimal places
    /// are shown, and the digits, in two bytes each.
    private static func numeric(_ bytes: UnsafeRawBufferPointer) -> Value? {
        guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
        func short(_ place: Int) -> Int16 {
            Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * place, as: Int16.self))
        }
        let (count, weight) = (Int(short(0)), Int(short(1)))
        let sign = UInt16(bitPattern: short(2))
        guard count >= 0, bytes.count == 8 + 2 * count, sign == 0 || sign == 0x4000 else { return nil }
        let digits = (0..<count).map { Int64(short(4 + $0)) }
        if count <= weight + 1 {
            if let whole = whole(digits, weight: weight, isNegative: sign != 0) { return .integer(whole) }
        }
        var real = 0.0
        for digit in digits { real = real * 10_000 + Double(digit) }
        for _ in 0..<max(0, weight + 1 - count) { real *= 10_000 }
        for _ in 0..<max(0, count - weight - 1) { real /= 10_000 }
        return .real(sign == 0 ? real : -real)
    }

    /// Nothing for what is longer than 64 bits.
    private static func whole(_ digits: [Int64], weight: Int, isNegative: Bool) -> Int64? {
        var number: Int64 = 0
        for place in 0..<max(0, weight + 1) {
            let digit = place < digits.count ? digits[place] : 0
            let (product, isTooLong) = number.multipliedReportingOverflow(by: 10_000)
            let (sum, isOver) = product.addingReportingOverflow(isNegative ? -digit : digit)
            if isTooLong || isOver { return nil }
            number = sum
        }
        return number
    }
}
