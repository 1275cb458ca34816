package import Basics

extension DiskError {
    /// By what the number means for keeping photos.
    package init(_ error: SystemError) {
        let meaning: DiskError.Meaning =
            switch error.kind {
            case .noRoom: .noRoom
            case .tooLarge: .tooLarge
            case .failing: .failing
            case .notAllowed: .notWritable
            case .missing: .missing
            case .tooManyOpen: .tooManyOpen
            case .other: .other
            }
        self.init(meaning, "\(error)")
    }
}
