import Bridge

/// The section `network` of the settings.
extension NetworkSettings {
    mutating func read(_ section: inout SettingsSection) throws {
        let range = 0...Int64(Self.mostSlots)
        try section.inner("limits") { section in
            try section.number("wifi", range) { wifi = $0 }
            try section.number("cellular", range) { cellular = $0 }
            try section.number("wired", range) { wired = $0 }
            try section.number("loopback", range) { loopback = $0 }
        }
        try section.flag("allowMetered") { allowsMetered = $0 }
        try section.each("interfaces") { name, section in interfaces[name] = try Word(&section) }
        try section.each("ssids") { name, section in ssids[name] = try Word(&section) }
    }
}

extension NetworkSettings.Word {
    init(_ section: inout SettingsSection) throws {
        self.init()
        try section.choice("kind", PathKind.allCases.filter { $0 != .tunnel }.map(\.rawValue)) {
            kind = PathKind(rawValue: $0)
        }
        try section.flag("metered") { isMetered = $0 }
        try section.number("limit", 0...Int64(NetworkSettings.mostSlots)) { limit = $0 }
    }
}
