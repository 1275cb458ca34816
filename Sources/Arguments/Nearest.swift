/// The known word that the user probably meant.
public enum Nearest {
    /// Nothing when none is near: half of a word's letters wrong is another word.
    public static func to(_ word: String, among known: [String]) -> String? {
        let ranked = known.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let (best, distance) = ranked, distance <= max(1, min(word.count, best.count) / 2) else {
            return nil
        }
        return best
    }

    /// How many letters have to be put in, taken out, changed, or swapped with their neighbour.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                let change = last[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(change, last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                next.append(least)
            }
            beforeLast = last
            last = next
        }
        return last[right.count]
    }
}
