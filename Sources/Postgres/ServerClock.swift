/// The database's own clock, in statements. Leases, changes and marks go by it, because those of nodes differ.
package enum ServerClock {
    /// In milliseconds since 1970, at the moment it is asked for.
    package static let now = "((extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
}
