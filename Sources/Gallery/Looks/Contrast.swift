import Glibc

/// How far colours stand out from each other (WCAG 2.2), and colours that stand out enough.
extension RGBColour {
    /// "Text … has a contrast ratio of at least 4.5:1" (success criterion 1.4.3).
    package static let textContrast = 4.5
    /// Of what shows where a control is (success criterion 1.4.11).
    package static let controlContrast = 3.0

    /// "The relative brightness of any point in a colorspace, normalized to 0 for darkest black and 1 for lightest white."
    package var luminance: Double {
        func linear(_ value: UInt8) -> Double {
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// From 1 to 21: "(L1 + 0.05) / (L2 + 0.05)", where L1 is the lighter one's luminance.
    package func contrast(with other: RGBColour) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// Black or white: one of them has a contrast of at least 4.58 with any colour.
    package var readableOnTop: RGBColour {
        contrast(with: .white) >= contrast(with: .black) ? .white : .black
    }

    /// The nearest to this colour, on its way to black or to white, that stands out so far from each of these.
    ///
    /// Towards black the parts keep their proportions, so it stays the same colour in less light; towards white it fades as
    /// paint does. Where neither end of the way would do, it is the end.
    package func standingOut(from grounds: [RGBColour], by contrast: Double, towards end: RGBColour)
        -> RGBColour
    {
        for step in 0...255 {
            let colour = mixed(with: end, share: step)
            if grounds.allSatisfy({ colour.contrast(with: $0) >= contrast }) { return colour }
        }
        return end
    }

    /// `share` of 255 parts are the other's.
    private func mixed(with other: RGBColour, share: Int) -> RGBColour {
        func mixed(_ own: UInt8, _ others: UInt8) -> UInt8 {
            UInt8((Int(own) * (255 - share) + Int(others) * share + 127) / 255)
        }
        return RGBColour(mixed(red, other.red), mixed(green, other.green), mixed(blue, other.blue))
    }
}
