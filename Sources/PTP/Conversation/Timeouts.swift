/// How long each wait may last. No wait in a conversation is without one of these.
public struct Timeouts: Equatable, Sendable {
    /// For the first answer, which some cameras give only after a person has pressed OK on the body.
    public var person: Duration = .seconds(180)
    /// After this long without an answer the operator is told to look at the camera.
    public var beforeAskingForPerson: Duration = .milliseconds(1200)
    /// For the answer on the event connection.
    public var eventAck: Duration = .seconds(10)
    /// A camera that is not ready refuses the event connection (Ricoh Theta): pauses before trying again.
    public var eventLinkRetries: [Duration] = [.milliseconds(100), .milliseconds(400), .milliseconds(1600)]
    /// For a call that collects a dataset or has none, from request to response.
    public var call: Duration = .seconds(30)
    /// For the next byte of a photo.
    public var noProgress: Duration = .seconds(20)
    /// Over every `rateWindow`, a photo must come at least this fast: a camera that sends a byte every few
    /// seconds makes progress for ever and holds up everything else.
    public var leastBytesPerSecond = 1024
    public var rateWindow: Duration = .seconds(30)
    /// For the next byte of an answer when the event link is lost already.
    public var afterEventLink: Duration = .seconds(1)
    /// For the answer to a Cancel; then both links are dropped.
    public var cancelAnswer: Duration = .seconds(3)
    /// The same where the connection is to be over anyway.
    public var cancelAnswerAtEnd: Duration = .seconds(1)
    /// For the answer to CloseSession; then the links are closed anyway. A program that is told to end in the middle of a
    /// photo waits for both answers, and ends within two seconds.
    public var closeAnswer: Duration = .milliseconds(700)
    /// "suggested timeout 10 s" (CIPA DC-X005 §2.4.2).
    public var probeAnswer: Duration = .seconds(10)
    /// For the answer to OpenSession, which ends the connection where it does not come.
    public var openSession: Duration = .seconds(30)
    /// After so many calls in a row without a response the camera counts as gone.
    public var unansweredCalls = 2
    /// For how long a camera that is asked something may say nothing at all, in one call or in several; nothing where
    /// each call has all its time. What follows an unanswered call has what is left of it, and a call that may be silent
    /// for longer is where the camera is asked on the event link whether it is there.
    public var silence: Duration?
    /// So much is left for a call however long the silence was: cameras are blocked for seconds by their own work.
    public var leastAfterSilence: Duration = .seconds(9)
    /// In such a long call a camera that has said nothing for so long is asked whether it is there.
    public var quiet: Duration = .seconds(5)
    /// So many of these questions in a row without an answer are a camera that hangs, where it has answered one before.
    public var unansweredProbes = 2
    /// Answers to earlier calls that are skipped in a row.
    public var stalePackets = 1024
    /// How much data that was not asked for, or no longer is, is thrown away until its end is not waited for: some seconds
    /// of a good Wi-Fi, for a body that sends the rest of the photo instead of a part of it.
    public var excessBytes: UInt64 = 64 << 20
    /// Packets at once that bring nothing: notices, probes, data without payload, what is passed over. A camera that
    /// notices ten thousand photos with each of thirty shots stays below this. A flood takes a second or less to pass it,
    /// and as long as it lasts other work of the same thread has its turn.
    public var uselessPackets = 300_000
    /// And so many for ever. That costs some hundredths of a processor; no shutter and no dial is as fast.
    public var uselessPacketsPerSecond = 5_000
    /// A peer that asks "are you there" more often is not answered each time.
    public var probeAnswersPerSecond = 20

    public init() {}
}
