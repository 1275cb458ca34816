import Glibc

/// A file descriptor with one owner, closed when the owner lets go.
package struct OwnedDescriptor: ~Copyable {
    package let number: Int32

    /// Takes over a descriptor that is open and has no other owner.
    package init(owning number: Int32) {
        precondition(number >= 0, "a descriptor is not negative")
        self.number = number
    }

    deinit {
        // Linux frees the number whatever close says; a failed write would have shown at fsync.
        Glibc.close(number)
    }
}
