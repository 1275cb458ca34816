/// The known word that somebody probably meant.
public enum Nearest {
    /// Nothing when none is near: half of a word's letters wrong is another word.
    public static func to(_ word: String, among known: [String]) -> String? {
        let ranked = known.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let (best, distance) = ranked, distance <= max(1, min(word.count, best.count) / 2) else {
            return nil
        }
        return best
    }

    /// How many letters have to be put in, taken out or changed.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let above = row[column + 1]
                let change = diagonal + (right[column] == letter ? 0 : 1)
                row[column + 1] = min(change, above + 1, row[column] + 1)
                diagonal = above
            }
        }
        return row[right.count]
    }
}
