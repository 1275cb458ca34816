import Bridge
import Store

/// What does the same as the setup where no terminal is there to ask at: commands and settings, each a line.
struct SetupWithoutTerminal {
    let home: Home
    /// ` --home DIR`, where that was said.
    let option: String

    var lines: [String] {
        [
            "tetherline: setup asks its questions at a terminal, and this is none. The same without questions:",
            line("camera add HOST", "the camera's address, or its name in 'tetherline camera discover'"),
            line("config set run.cameras auto", "a run takes the cameras of this home"),
            line("camera info HOST", "pairs: follow what the camera shows"),
            "  # then either a gallery,",
            line("login https://gallery.example --email E-MAIL --password-file FILE", ""),
            line("consent --give", "after reading the gallery's terms"),
            line("events create NAME", "where there is none yet"),
            line("events select NAME", "a run goes into this event"),
            "  # or a folder, a bucket, a server:",
            line("config set run.event NAME", ""),
            line("config set run.destinations file:///media/usb/wedding", "several are several words"),
            line("destination test file:///media/usb/wedding", "whether photos would arrive there"),
            "  # and then:",
            line("run", "needs no options any more"),
        ]
    }

    private func line(_ command: String, _ why: String) -> String {
        let text = "  tetherline \(command)\(option)"
        return why.isEmpty ? text : "\(text)    # \(why)"
    }
}
