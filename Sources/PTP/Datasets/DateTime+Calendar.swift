extension DateTime {
    /// The date and time so many seconds after 1970 began, in whatever zone the seconds count for.
    public init(secondsSince1970 seconds: Int64, tenth: Int? = nil) {
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = Int(seconds - day * 86_400)
        // Years that begin in March have their odd day at the end; 400 of them always have as many days.
        let daysInEra: Int64 = 146_097
        let shifted = day + 719_468
        let era = shifted >= 0 ? shifted / daysInEra : (shifted - daysInEra + 1) / daysInEra
        let dayOfEra = shifted - era * daysInEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        self.init(
            year: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month: month,
            day: Int(dayOfYear - (153 * marchMonth + 2) / 5) + 1, hour: second / 3600,
            minute: second / 60 % 60, second: second % 60, tenth: tenth)
    }
}
