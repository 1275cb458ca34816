import Glibc

/// A space of colours by its published primaries and curve, and the way from it to sRGB, computed here.
struct RGBSpace: Sendable {
    struct Curve: Sendable {
        let light: @Sendable (Double) -> Double
        let sample: @Sendable (Double) -> Double

        /// IEC 61966-2-1.
        static let sRGB = Curve(
            light: { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) },
            sample: { $0 <= 0.0031308 ? $0 * 12.92 : 1.055 * pow($0, 1 / 2.4) - 0.055 })

        static func power(_ exponent: Double) -> Curve {
            Curve(light: { pow($0, exponent) }, sample: { pow(max(0, $0), 1 / exponent) })
        }
    }

    /// Red, green, blue and white, x and y of each.
    let points: [(Double, Double)]
    let curve: Curve

    init(_ points: [(Double, Double)], white: (Double, Double) = (0.3127, 0.3290), _ curve: Curve = .sRGB) {
        self.points = points + [white]
        self.curve = curve
    }

    static let sRGB = RGBSpace([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)])
    /// SMPTE EG 432-1, with the curve that Apple gives it.
    static let displayP3 = RGBSpace([(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)])
    static let adobeRGB = RGBSpace([(0.64, 0.33), (0.21, 0.71), (0.15, 0.06)], .power(2.19921875))
    /// ISO 22028-2; its white is D50.
    static let proPhoto = RGBSpace(
        [(0.734699, 0.265301), (0.159597, 0.840403), (0.036598, 0.000105)], white: (0.345704, 0.358540),
        .power(1.8))
    static let bt2020 = RGBSpace([(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)])
    /// sRGB, with its channels in another order: a missing conversion cannot be overlooked.
    static let swapped = RGBSpace([(0.15, 0.06), (0.64, 0.33), (0.30, 0.60)])
    static let linear = RGBSpace([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)], .power(1))

    // MARK: Arithmetic

    struct Matrix: Sendable {
        var rows: [[Double]]

        static func * (matrix: Matrix, vector: [Double]) -> [Double] {
            matrix.rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
        }

        static func * (left: Matrix, right: Matrix) -> Matrix {
            Matrix(rows: Matrix(rows: right.columns.map { left * $0 }).columns)
        }

        var columns: [[Double]] { (0..<3).map { column in rows.map { $0[column] } } }

        /// By Cramer's rule.
        var inverse: Matrix {
            let m = rows
            func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double {
                m[a][c] * m[b][d] - m[a][d] * m[b][c]
            }
            let signs = (0..<3).map { row in
                (0..<3).map { column in
                    minor((column + 1) % 3, (column + 2) % 3, (row + 1) % 3, (row + 2) % 3)
                }
            }
            let size = (0..<3).reduce(0) { $0 + m[0][$1] * signs[$1][0] }
            return Matrix(rows: signs.map { $0.map { $0 / size } })
        }

        static func diagonal(_ values: [Double]) -> Matrix {
            Matrix(rows: (0..<3).map { row in (0..<3).map { row == $0 ? values[row] : 0 } })
        }
    }

    private static func xyz(_ point: (Double, Double)) -> [Double] {
        [point.0 / point.1, 1, (1 - point.0 - point.1) / point.1]
    }

    /// "D50" as ICC profiles have it (ICC.1:2010, §7.2.16).
    static let connectionWhite = [0.9642, 1.0, 0.8249]

    /// From light of the primaries to the connection space of ICC profiles, by Bradford's cone responses.
    var toConnection: Matrix {
        let primaries = Matrix(rows: Matrix(rows: points.prefix(3).map(Self.xyz)).columns)
        let white = Self.xyz(points[3])
        let scaled = primaries * Matrix.diagonal(primaries.inverse * white)
        let cones = Matrix(rows: [
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        let gains = zip(cones * Self.connectionWhite, cones * white).map { $0 / $1 }
        return cones.inverse * Matrix.diagonal(gains) * cones * scaled
    }

    /// The same colour in another space; may lie outside of 0 to 1.
    func converted(_ samples: [Double], to other: RGBSpace) -> [Double] {
        let light = other.toConnection.inverse * (toConnection * samples.map(curve.light))
        return light.map { $0 < 0 ? -other.curve.sample(-$0) : other.curve.sample($0) }
    }
}

/// How different two colours look (CIE 142-2001, after Sharma, Wu and Dalal 2005).
enum ColourDifference {
    /// Of two samples of sRGB from 0 to 1.
    static func between(_ one: [Double], _ other: [Double]) -> Double { ciede2000(lab(one), lab(other)) }

    static func lab(_ samples: [Double]) -> [Double] {
        let xyz = RGBSpace.sRGB.toConnection * samples.map(RGBSpace.Curve.sRGB.light)
        let f = zip(xyz, RGBSpace.connectionWhite).map { value, white in
            let share = value / white
            return share > 216.0 / 24389 ? cbrt(share) : (24389.0 / 27 * share + 16) / 116
        }
        return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    }

    static func ciede2000(_ one: [Double], _ other: [Double]) -> Double {
        let radian = Double.pi / 180
        let chroma = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2
        let g = (1 - (pow(chroma, 7) / (pow(chroma, 7) + pow(25, 7))).squareRoot()) / 2
        let (a1, a2) = ((1 + g) * one[1], (1 + g) * other[1])
        let (c1, c2) = (hypot(a1, one[2]), hypot(a2, other[2]))
        func hue(_ a: Double, _ b: Double) -> Double {
            a == 0 && b == 0 ? 0 : (atan2(b, a) / radian + 360).truncatingRemainder(dividingBy: 360)
        }
        let (h1, h2) = (hue(a1, one[2]), hue(a2, other[2]))
        var turn = c1 * c2 == 0 ? 0 : h2 - h1
        if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
        var h = h1 + h2
        if c1 * c2 != 0 { h = abs(h1 - h2) <= 180 ? h / 2 : (h < 360 ? h + 360 : h - 360) / 2 }
        let (l, c) = ((one[0] + other[0]) / 2, (c1 + c2) / 2)
        let t =
            1 - 0.17 * cos((h - 30) * radian) + 0.24 * cos(2 * h * radian) + 0.32 * cos((3 * h + 6) * radian)
            - 0.20 * cos((4 * h - 63) * radian)
        let sl = 1 + 0.015 * pow(l - 50, 2) / (20 + pow(l - 50, 2)).squareRoot()
        let (sc, sh) = (1 + 0.045 * c, 1 + 0.015 * c * t)
        let rotation =
            -2 * (pow(c, 7) / (pow(c, 7) + pow(25, 7))).squareRoot()
            * sin(60 * exp(-pow((h - 275) / 25, 2)) * radian)
        let lightness = (other[0] - one[0]) / sl
        let saturation = (c2 - c1) / sc
        let colour = 2 * (c1 * c2).squareRoot() * sin(turn / 2 * radian) / sh
        return
            (lightness * lightness + saturation * saturation + colour * colour + rotation * saturation
            * colour)
            .squareRoot()
    }
}
