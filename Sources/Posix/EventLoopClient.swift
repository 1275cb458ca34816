package import Glibc

/// A library with descriptors and timers of its own, living on a reactor's thread. All of it is called there.
package protocol EventLoopClient: AnyObject, Sendable {
    /// A thread begins to serve it. There is one at a time, but it need not always be the same.
    func comeOnThread()
    /// Does what can be done now. Returns when it wants the next turn at the latest; nothing for no time by itself.
    func turn() -> Duration?
    /// `poll(2)` for these descriptors and for its own.
    func poll(_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32
    /// It has nothing to do any more, and will not have.
    var isOver: Bool { get }
}
