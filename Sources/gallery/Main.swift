import Posix

@main struct Main {
    static func main() {
        printError("gallery: not there yet")
    }
}
