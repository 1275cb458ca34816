import Posix
import Rendering
import TestSupport
import Testing

@Suite struct RenderPoolTests {
    static let answer = """
        {"sha256":"00","crc32":7,"size":1,"width":6,"height":4,"orientation":1,"clock":null,"copyright":null,\
        "renditions":[{"size":1,"width":3,"height":2,"crc32":8},{"size":1,"width":6,"height":4,"crc32":9}]}
        """

    /// Does what the name of the file says, and counts its own starts.
    static let moody = """
        while read -r line <&1; do
            case "$line" in
            *segfault*) kill -SEGV $$ ;;
            *abort*) kill -ABRT $$ ;;
            *killed*) kill -KILL $$ ;;
            *exit*) exit 3 ;;
            *hang*) touch "$(dirname "$0")/hung"; while :; do read -r never <&1; done ;;
            *busy*) ulimit -S -t 1; while :; do :; done ;;
            *nonsense*) echo 'what?' ;;
            *fewer*) echo '\(answer)' | sed 's/},{.*}]/}]/' ;;
            *endless*) while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done ;;
            *) echo '\(answer)' ;;
            esac
        done
        """

    @Test(
        "a renderer that dies takes one photo with it, and the next photo has another",
        arguments: [
            ("segfault", RenderProblem.Code.crashed), ("abort", .crashed), ("nonsense", .crashed),
            ("fewer", .crashed),
            ("endless", .crashed), ("killed", .storage), ("exit", .storage), ("busy", .timeout),
        ])
    func deaths(mood: String, code: RenderProblem.Code) async throws {
        let rig = try RenderRig(script: Self.moody)
        #expect(await rig.render(rig.job("fine")).code == nil)
        #expect(await rig.render(rig.job(mood)).code == code)
        #expect(await rig.render(rig.job("fine")).code == nil)
        await rig.stop()
    }

    @Test("a renderer that stalls is killed when its time is over, and the next photo has another")
    func stall() async throws {
        let rig = try RenderRig(script: Self.moody, wall: .milliseconds(300))
        let result = await rig.render(rig.job("hang"))
        #expect(result.code == .timeout)
        #expect(await rig.render(rig.job("fine")).code == nil)
        await rig.stop()
    }

    @Test("photos that wait behind a dying renderer are all rendered, by as many renderers as there may be")
    func others() async throws {
        let rig = try RenderRig(script: Self.moody, count: 2)
        let names = (0..<40).map { $0 % 5 == 0 ? "segfault" : "fine \($0)" }
        let codes = await withTaskGroup(of: RenderProblem.Code?.self) { group in
            for name in names { group.addTask { await rig.render(rig.job(name)).code } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == .crashed }.count == 8)
        #expect(codes.filter { $0 == nil }.count == 32)
        await rig.stop()
    }

    @Test("what a photo that failed had got so far is taken away")
    func leftovers() async throws {
        let script = """
            while read -r line <&1; do
                echo half >"$(printf %s "$line" | sed 's/.*"path":"//; s/".*//')"
                kill -SEGV $$
            done
            """
        let rig = try RenderRig(script: script)
        #expect(await rig.render(rig.job()).code == .crashed)
        #expect(rig.folder.contents().isEmpty)
        await rig.stop()
    }

    @Test("when the gallery stops, waiting and later jobs get an error")
    func stopping() async throws {
        let rig = try RenderRig(script: Self.moody)
        let hanging = Task { await rig.render(rig.job("hang")).code }
        let waiting = Task { await rig.render(rig.job("fine")).code }
        await rig.stop()
        #expect(await hanging.value == .stopped)
        #expect(await waiting.value == .stopped)
        #expect(await rig.render(rig.job("fine")).code == .stopped)
    }

    @Test("a renderer that cannot be started is no fault of the photo")
    func noProgram() async throws {
        let rig = try RenderRig(program: "/nonexistent/renderer")
        let result = await rig.render(rig.job())
        #expect(result.code == .storage)
        guard case .failure(let problem) = result else { return }
        #expect(problem.isCurable)
        await rig.stop()
    }
}
