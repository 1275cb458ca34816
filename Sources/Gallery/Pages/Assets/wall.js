// The wall: of all photos it holds the tiles that are seen and some around them, each where it would be if all were there.

import { GAP, box, laidOut, lastUpTo, unit } from './layout.js';
import { Tiles } from './tiles.js';
import { Timeline } from './timeline.js';

// At the most, unless a screen shows more at once; and three around the one that has the focus.
const MOST_TILES = 300;
// Beyond what is seen, in screens.
const MARGIN = 0.7;

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Wall {
  #frame = 0;
  #width = 0;
  #focused = null;
  // Where one is to come to, until the page says how wide the wall is.
  #goal = null;

  // What is not loaded of what is seen, the nearest first; the photo in the middle; whether the end is near.
  seen = (pieces, index, isAtEnd) => {};

  constructor(root) {
    this.root = root;
    this.tiles = new Tiles(root);
    this.timeline = new Timeline();
    this.layout = laidOut(this.timeline, 1, 1);
    root.addEventListener('focusin', (focus) => (this.#focused = focus.target.closest('li')?.id || null));
    // Another element takes it; a tile that is taken away does not give it up.
    root.addEventListener('focusout', (blur) => {
      if (blur.relatedTarget && !root.contains(blur.relatedTarget)) this.#focused = null;
    });
    addEventListener('scroll', () => (this.#frame ||= requestAnimationFrame(() => this.render())), { passive: true });
  }

  // From what the server wrote; no tile moves.
  adopt({ next, last, search, album, cursor }) {
    Object.assign(this.timeline, { last, search, album });
    this.timeline.append(this.tiles.adopt(), next, cursor);
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === this.#width) return;
      this.keepingPlace(() => (this.#width = contentRect.width));
      this.root.classList.add('laid');
    }).observe(this.root);
  }

  // Where what is seen begins on the wall; below zero where something stands above it.
  get top() { return -this.root.getBoundingClientRect().top; }

  // Another list, at that place or at its top.
  show(timeline, place) {
    this.timeline = timeline;
    this.layAgain(place);
  }

  // Whatever changes, what is seen stays where it is. At the top, what comes is seen.
  keepingPlace(change, isAnimated = false) {
    const place = this.place();
    const before = isAnimated && !still.matches ? this.tiles.boxes(this.top) : null;
    change();
    this.layAgain(place);
    if (before) this.tiles.slide(before, this.top);
  }

  layAgain(place) {
    this.#goal = place ?? this.#goal;
    if (!this.#width) return;
    this.#lay();
    if (this.#goal && this.timeline.count) this.restore(this.#goal);
    this.#goal = null;
  }

  #lay() {
    this.layout = laidOut(this.timeline, this.#width, unit(innerWidth));
    this.root.style.height = `${this.layout.height}px`;
    this.render();
  }

  arrive(photos) {
    this.tiles.announce(photos);
    this.keepingPlace(() => this.timeline.arrive(photos), true);
  }

  // Where one is

  // Nothing where that is the top.
  place() {
    const { top } = this;
    if (top <= 0 || !this.layout.count) return null;
    const line = lastUpTo(this.layout.tops, top, this.layout.count);
    const index = this.layout.starts[line];
    const piece = this.timeline.pieceAt(index);
    const photo = this.timeline.photo(index);
    return { id: photo?.id, position: photo?.position ?? piece.until, behind: index - piece.first, shift: top - this.layout.tops[line] };
  }

  restore({ id, position, behind, shift }) {
    const { timeline } = this;
    let index = timeline.indexOf(id);
    if (index < 0) {
      const piece = timeline.pieceFor(position) ?? timeline.pieces.at(-1);
      index = piece.first + Math.min(behind, piece.shapes.length - 1);
    }
    this.scrollTo(this.layout.tops[this.#line(index)] + shift);
  }

  #line(index) { return lastUpTo(this.layout.starts, index, this.layout.count); }

  scrollTo(y) {
    const wanted = Math.round(y - this.top + scrollY);
    if (Math.abs(wanted - scrollY) >= 1) scrollTo({ top: wanted, behavior: 'instant' });
    this.render();
  }

  // Brings a photo into sight where it is not.
  reveal(index, hasFocus) {
    const { y, height } = box(this.layout, this.#line(index), index);
    const { top } = this;
    if (y < top + 70 || y + height > top + innerHeight) this.scrollTo(y - (innerHeight - height) / 2);
    if (hasFocus) this.tiles.link(this.#key(index))?.focus({ preventScroll: true });
  }

  // What is there

  render() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.#width) return;
    const top = Math.max(0, this.top);
    if (this.layout.count) {
      const rows = this.#rows(top, top + innerHeight);
      this.tiles.build(this.#wanted(rows));
      this.#tell(rows, top);
    } else {
      this.tiles.build(new Map());
      this.seen([], 0, true);
    }
    this.onRender?.(top);
  }

  // From the first row to behind the last: what is seen, and as much around it as may be there.
  #rows(top, bottom) {
    const { tops, starts, count } = this.layout;
    let from = lastUpTo(tops, top, count);
    let to = lastUpTo(tops, bottom, count) + 1;
    const margin = MARGIN * innerHeight;
    for (let isDone = false; !isDone;) {
      isDone = true;
      if (to < count && tops[to] < bottom + margin && starts[to + 1] - starts[from] <= MOST_TILES) [to, isDone] = [to + 1, false];
      if (from > 0 && tops[from] > top - margin && starts[to] - starts[from - 1] <= MOST_TILES) [from, isDone] = [from - 1, false];
    }
    return { from, to };
  }

  #wanted({ from, to }) {
    const { starts } = this.layout;
    const wanted = new Map();
    const focused = this.#focused ? this.timeline.indexOf(this.#focused) : -1;
    // Where one goes on from with the keyboard stays, with its neighbours.
    const around = focused < 0 ? [] : [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < this.timeline.count);
    const add = (index) => this.#want(wanted, this.#line(index), index, index + 1);
    around.filter((index) => index < starts[from]).forEach(add);
    for (let line = from; line < to; line += 1) this.#want(wanted, line, starts[line], starts[line + 1]);
    around.filter((index) => index >= starts[to]).forEach(add);
    return wanted;
  }

  #want(wanted, line, start, end) {
    const { shapes, scales } = this.layout;
    const section = this.timeline.sectionAt(start);
    let { x, y, height } = box(this.layout, line, start);
    for (let index = start; index < end; index += 1) {
      const width = shapes[index] * scales[line];
      wanted.set(this.#key(index), { photo: this.timeline.photo(index), section, index, x, y, width, height });
      x += width + GAP;
    }
  }

  #key(index) {
    const photo = this.timeline.photo(index);
    if (photo) return photo.id;
    const piece = this.timeline.pieceAt(index);
    return `${piece.until}+${index - piece.first}`;
  }

  #tell({ from, to }, top) {
    const { starts, tops, count, height } = this.layout;
    const middle = starts[lastUpTo(tops, top + innerHeight / 2, count)];
    const seen = new Set();
    for (let index = starts[from]; index < starts[to]; index += 1) {
      if (!this.timeline.photo(index)) seen.add(this.timeline.pieceAt(index));
    }
    const away = (piece) => Math.max(piece.first - middle, middle - piece.first - piece.shapes.length, 0);
    this.seen([...seen].sort((one, other) => away(one) - away(other)), middle, top + innerHeight + 1500 > height);
  }
}
