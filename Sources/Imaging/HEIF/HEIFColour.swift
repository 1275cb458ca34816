import CHEIF

/// What a HEIF says about its colours. A profile counts before numbers, which then only say how brightness and colour
/// become red, green and blue (ISO/IEC 23000-22 §7.3.6.4); libheif does that by itself.
struct HEIFColour {
    let heif: cheif_library

    func claims(of handle: OpaquePointer?) -> [ColourClaim] {
        [profile(of: handle), numbers(of: handle)].compactMap { $0 }
    }

    /// `prof` or `rICC`, which libheif does not tell apart.
    private func profile(of handle: OpaquePointer?) -> ColourClaim? {
        let size = heif.heif_image_handle_get_raw_color_profile_size(handle)
        guard size > 0 else { return nil }
        guard size <= ProfilePieces.most else {
            return .damaged("the colour profile in the file cannot be used: it has \(size) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let result = heif.heif_image_handle_get_raw_color_profile(handle, &bytes)
        guard result.code == heif_error_Ok else {
            return .damaged(
                "the colour profile in the file cannot be used: \(String(cString: result.message))")
        }
        return .profile(bytes)
    }

    private func numbers(of handle: OpaquePointer?) -> ColourClaim? {
        var numbers: UnsafeMutablePointer<heif_color_profile_nclx>?
        defer { heif.heif_nclx_color_profile_free(numbers) }
        let result = heif.heif_image_handle_get_nclx_color_profile(handle, &numbers)
        // libheif knows the same numbers.
        if result.code == heif_error_Invalid_input {
            let text = String(cString: result.message)
            return .damaged("the file's numbers for its colours are not known here: \(text)")
        }
        return numbers.flatMap {
            CodePoints.claim(
                primaries: Int($0.pointee.color_primaries.rawValue),
                transfer: Int($0.pointee.transfer_characteristics.rawValue))
        }
    }
}
