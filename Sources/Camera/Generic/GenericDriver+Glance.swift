public import Bridge
import PTP

/// What there is, for those who look at a few photos only.
extension GenericDriver {
    /// No card is walked for it: what a body gives that lists level by level may be a folder.
    public func glance() async throws(CameraFailure) -> Set<PhotoReference> {
        if listsAtOnce != nil { return try await references() }
        do throws(CameraError) {
            // Not a list that is complete, as far as its pace is concerned.
            return Set(try await session.handles().map { PhotoReference($0) })
        } catch {
            await learnPace(isComplete: false)
            // It wants to be asked for each storage, or in another way still.
            guard error.isRefusal || error.code == .invalidStorageID else { throw CameraFailure(error) }
        }
        return try await references()
    }
}
