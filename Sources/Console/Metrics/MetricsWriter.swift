import Basics

/// Writes the text format of Prometheus, version 0.0.4: families of samples, each with its HELP and TYPE.
struct MetricsWriter {
    enum Kind: String {
        case gauge
        case counter
        case histogram
    }

    typealias Labels = [(name: String, value: String)]

    /// A value with its labels.
    struct Sample {
        let labels: Labels
        let value: String

        init(_ labels: Labels, _ value: some BinaryInteger) {
            self.labels = labels
            self.value = "\(value)"
        }

        init(_ value: some BinaryInteger) { self.init([], value) }
        init(_ labels: Labels, _ isSo: Bool) { self.init(labels, isSo ? 1 : 0) }
        init(_ isSo: Bool) { self.init([], isSo) }

        init(_ labels: Labels = [], seconds: Duration) {
            self.labels = labels
            value = MetricsWriter.text(Double(seconds.wholeMilliseconds) / 1000)
        }

        init(_ labels: Labels = [], at moment: Timestamp) {
            self.labels = labels
            value = MetricsWriter.text(Double(moment.milliseconds) / 1000)
        }

        init(_ labels: Labels = [], number: Double) {
            self.labels = labels
            value = MetricsWriter.text(number)
        }
    }

    private(set) var text = ""

    /// One whose value is not known is left out: a figure that is made up would be believed.
    mutating func add(_ name: String, _ help: String, _ samples: [Sample?]) {
        add(name, .gauge, help, samples)
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample?]) {
        let known = samples.compactMap { $0 }
        guard !known.isEmpty else { return }
        begin(name, kind, help)
        for sample in known { write(name, sample.labels, sample.value) }
    }

    /// Of each: its labels, how many are in each bucket and beyond the last, and the sum of what was measured.
    mutating func addHistogram(
        _ name: String, _ help: String, bounds: [Duration],
        _ samples: [(Labels, counts: [Int], sum: Duration)]
    ) {
        guard !samples.isEmpty else { return }
        begin(name, .histogram, help)
        for (labels, counts, sum) in samples {
            var below = 0
            for (bound, count) in zip(bounds, counts) {
                below += count
                let bound = Self.text(Double(bound.wholeMilliseconds) / 1000)
                write("\(name)_bucket", labels + [(name: "le", value: bound)], "\(below)")
            }
            let all = counts.reduce(0, +)
            write("\(name)_bucket", labels + [(name: "le", value: "+Inf")], "\(all)")
            write("\(name)_sum", labels, Self.text(Double(sum.wholeMilliseconds) / 1000))
            write("\(name)_count", labels, "\(all)")
        }
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func write(_ name: String, _ labels: Labels, _ value: String) {
        let written = labels.map { "\($0.name)=\"\(Self.escaped(Visible($0.value).description))\"" }
        text += name + (written.isEmpty ? "" : "{\(written.joined(separator: ","))}") + " \(value)\n"
    }

    /// "label_value can be any sequence of UTF-8 characters, but the backslash, double-quote, and line feed characters have
    /// to be escaped as \\, \", and \n" (Prometheus, Exposition formats); in a HELP quotes stay as they are.
    private static func escaped(_ text: String, quotes: Bool = true) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whole numbers without a point.
    private static func text(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return "\(whole)" }
        return "\(value)"
    }
}
