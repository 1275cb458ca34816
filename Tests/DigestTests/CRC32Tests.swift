import Digest
import Testing

@Suite struct CRC32Tests {
    @Test("the CRC is that of the standard's check value, however the bytes come")
    func check() {
        // "The check value is the CRC of the ASCII string 123456789" (Rocksoft model), 0xCBF43926 for CRC-32.
        for cut in 0...9 {
            var crc = CRC32()
            let bytes = Array("123456789".utf8)
            bytes[..<cut].withUnsafeBytes { crc.update($0) }
            bytes[cut...].withUnsafeBytes { crc.update($0) }
            #expect(crc.value == 0xCBF4_3926)
        }
    }
}
