import Web

/// One photo before everything else. It is a template, since only a script can open it.
enum Lightbox {
    static func template(_ words: Words) -> HTMLText {
        """
        <template id="lightbox">
        <dialog class="box" aria-label="\(words[.photo])">
        <div class="stage"><img alt=""></div>
        <p class="place" aria-hidden="true"></p>
        <div class="deeds">
        <a class="icon" id="box-get" download>\(Icon.download)</a>
        <button class="icon" id="box-pick" aria-pressed="false" aria-keyshortcuts="p" aria-label="\(words[.pickThis])" \
        title="\(words[.pickByKey])">\(Icon.pick)</button>
        <button class="icon" id="box-link" aria-label="\(words[.sharePhoto])">\(Icon.share)</button>
        <button class="icon" id="box-close" aria-label="\(words[.close])">\(Icon.close)</button>
        </div>
        <button class="icon turn" id="box-newer" aria-label="\(words[.newerPhoto])">\(Icon.left)</button>
        <button class="icon turn" id="box-older" aria-label="\(words[.olderPhoto])">\(Icon.right)</button>
        <div class="words"><p class="caption" dir="auto"></p><p class="tags"></p></div>
        <p class="unseen" role="status"></p>
        </dialog>
        </template>
        """
    }
}

/// Drawn for 24 by 24; words stand beside them, or the element that holds them has a label.
enum Icon {
    static let share = draw("M12 15V3M7 8l5-5 5 5M5 13v6a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-6")
    static let pick = draw("M4 13l5 5L20 7")
    static let close = draw("M5 5l14 14M19 5 5 19")
    static let left = draw("M15 4l-8 8 8 8")
    static let right = draw("M9 4l8 8-8 8")
    static let plus = draw("M12 5v14M5 12h14")
    static let download = draw("M12 3v12M7 10l5 5 5-5M5 20h14")

    private static func draw(_ path: String) -> HTMLText {
        """
        <svg class="draw" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="\(path)"/></svg>
        """
    }
}
