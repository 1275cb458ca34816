public import Basics

extension BridgeStatus {
    /// What went wrong last, and what an operator can do about it.
    public struct Trouble: Equatable, Sendable {
        /// Whose it is, and so what ends it.
        public enum Kind: String, Equatable, Sendable, CaseIterable {
            /// A delivery's that has failed for good.
            case failure
            /// The disk's, or the ledger's: no photo is taken.
            case disk
            /// A camera's connection, or a destination that takes nothing.
            case connection
            /// One photo's.
            case photo
            /// It has ended.
            case over
        }

        /// Nothing where the ledger does not say.
        public var at: Timestamp?
        /// Of which photo, where it is one's.
        public var photo: String?
        public var kind: Kind
        public var reason: String
        public var advice: String
        /// The advice is for the operator; otherwise it says why nothing has to be done.
        public var needsOperator: Bool

        public init(
            at: Timestamp?, photo: String? = nil, kind: Kind, reason: String, advice: String,
            needsOperator: Bool = true
        ) {
            self.at = at
            self.photo = photo
            self.kind = kind
            self.reason = reason
            self.advice = advice
            self.needsOperator = needsOperator
        }
    }
}
