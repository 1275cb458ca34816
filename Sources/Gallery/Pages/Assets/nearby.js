// Which items of a long list have something in them: those that are seen, and some screens of them around. The others are
// empty and keep their place, so that a list of thousands stays as light as one of hundreds.

const screens = 3;
// So many may be full wherever they are.
const few = 300;

export class Nearby {
  #list;
  #fill;
  #full = new Set();
  #frame = 0;
  #hear = () => (this.#frame ||= requestAnimationFrame(() => this.#sort()));
  // What is seen changes without scrolling, too: items go, come or change places, and a window that is turned puts them elsewhere.
  #places = new ResizeObserver(this.#hear);
  #changes = new MutationObserver(this.#hear);

  // `fill` puts into an item what belongs there.
  constructor(list, fill) {
    this.#list = list;
    this.#fill = fill;
    for (const name of ['scroll', 'resize']) addEventListener(name, this.#hear, { passive: true });
    this.#places.observe(list);
    this.#changes.observe(list, { childList: true });
  }

  // It has something in it now.
  add(item) { this.#full.add(item); }

  end() {
    for (const name of ['scroll', 'resize']) removeEventListener(name, this.#hear);
    this.#places.disconnect();
    this.#changes.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  #sort() {
    this.#frame = 0;
    for (const item of this.#full) if (!item.isConnected) this.#full.delete(item);
    const items = this.#list.children;
    if (items.length <= few && this.#full.size === items.length) return;
    const above = this.#first((box) => box.bottom >= -screens * innerHeight);
    const below = this.#first((box) => box.top > (1 + screens) * innerHeight);
    const near = new Set();
    for (let item = items[above]; item && item !== items[below]; item = item.nextElementSibling) near.add(item);
    const example = this.#full.values().next().value;
    if (example) this.#list.style.setProperty('--full', `${example.offsetHeight}px`);
    for (const item of this.#full) {
      // What has the focus keeps it.
      if (near.has(item) || item.contains(document.activeElement)) continue;
      item.replaceChildren();
      this.#full.delete(item);
    }
    for (const item of near) {
      if (this.#full.has(item)) continue;
      this.#fill(item);
      this.#full.add(item);
    }
  }

  // The number of the first item whose box is so; items lie in their order, row by row.
  #first(isSo) {
    const items = this.#list.children;
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isSo(items[middle].getBoundingClientRect())) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
