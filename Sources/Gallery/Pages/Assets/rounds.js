// Which photo comes next on a screen that shows an evening for hours: what is new, at once; then all that is known, each once
// in a round, in another order every time. Older ones are asked for a page at a time, so that a round of 50,000 begins at once,
// and only so many are kept.

import { compared } from './position.js';

const most = 4000;
// So many new ones wait to be shown at once.
const mostFresh = 10;

export class Rounds {
  #known = new Map();
  #round = [];
  #fresh = [];
  #shown = [];
  // What one went back over comes again when one goes on.
  #ahead = [];
  // The highest sequence of all that was known: what is new has a higher one.
  #last = 0;
  // Where older photos begin: undefined before the first page, nothing after the last.
  #next;
  #asking;
  // An answer from before everything was forgotten comes too late.
  #age = 0;

  // `ask(cursor)` gives a page of photos and where the next begins; `random()` is from 0 up to 1.
  constructor(ask, random = Math.random) {
    Object.assign(this, { ask, random });
  }

  get size() { return this.#known.size; }

  has(id) { return this.#known.has(id); }

  // It was taken just now, or it has changed, or it is shown again.
  welcome(photo) {
    const isKnown = this.#known.has(photo.id);
    const isNew = photo.sequence > this.#last;
    this.#keep(photo);
    if (isNew) this.#fresh.push(photo.id);
    else if (!isKnown) this.#round.splice(Math.floor(this.random() * (this.#round.length + 1)), 0, photo.id);
    // The latest are for now; the others come right after them.
    if (this.#fresh.length > mostFresh) this.#round.unshift(...this.#fresh.splice(0, this.#fresh.length - mostFresh));
    this.#bound();
  }

  lose(id) {
    this.#known.delete(id);
    for (const ids of [this.#ahead, this.#fresh, this.#round]) {
      if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
    }
  }

  // A page of the latest photos, where each that comes or goes is not told. Answers which are not there any more, of those that
  // would be on this page.
  compare({ photos, next }) {
    const there = new Set(photos.map((photo) => photo.id));
    const isWithin = (photo) => !next || compared(photo.position, photos.at(-1).position) >= 0;
    const gone = [...this.#known.values()].filter((photo) => !there.has(photo.id) && isWithin(photo)).map((photo) => photo.id);
    gone.forEach((id) => this.lose(id));
    [...photos].sort((one, other) => one.sequence - other.sequence).forEach((photo) => this.welcome(photo));
    return gone;
  }

  // What is kept may be anything by now: it is read anew.
  forget() {
    this.#known.clear();
    this.#round = [];
    this.#fresh = [];
    this.#shown = [];
    this.#ahead = [];
    this.#next = undefined;
    this.#asking = null;
    this.#age += 1;
  }

  // The next photo; nothing where there is none at all.
  async next() {
    if (!this.#take(this.#ahead, true) && !this.#take(this.#fresh, true)) await this.#fill();
    const id = this.#take(this.#ahead) ?? this.#take(this.#fresh) ?? this.#take(this.#round);
    if (!id) return null;
    this.#shown.push(id);
    if (this.#shown.length > 100) this.#shown.shift();
    return this.#known.get(id);
  }

  // The one before the one on show.
  before() {
    while (this.#shown.length > 1) {
      const id = this.#shown.pop();
      if (this.#known.has(id)) this.#ahead.unshift(id);
      const last = this.#shown.at(-1);
      if (this.#known.has(last)) return this.#known.get(last);
    }
    return null;
  }

  // The first of them that is still there.
  #take(ids, stays = false) {
    while (ids.length && !this.#known.has(ids[0])) ids.shift();
    return stays ? ids[0] : ids.shift();
  }

  // A round that is over begins anew, with a page more than before as long as there are more.
  async #fill() {
    if (this.#take(this.#round, true)) return;
    if (this.#next !== null) {
      const age = this.#age;
      // Who asks meanwhile waits for the same answer.
      this.#asking ??= this.#more(age);
      await this.#asking.catch((problem) => {
        // Without a connection what is known goes round.
        if (!this.size && age === this.#age) throw problem;
      });
      if (age !== this.#age) return this.#fill();
    }
    if (this.#take(this.#round, true)) return;
    this.#round = this.#mixed([...this.#known.keys()]);
    // Not the same photo twice.
    if (this.#round.length > 1 && this.#round[0] === this.#shown.at(-1)) this.#round.push(this.#round.shift());
  }

  async #more(age) {
    try {
      const { photos, next } = await this.ask(this.#next);
      if (age !== this.#age) return;
      this.#next = next || null;
      const ids = photos.filter((photo) => !this.#known.has(photo.id)).map((photo) => photo.id);
      photos.forEach((photo) => this.#keep(photo));
      this.#bound();
      this.#round.push(...this.#mixed(ids));
    } finally {
      if (age === this.#age) this.#asking = null;
    }
  }

  // A sign that stands for a video is nothing to look at.
  #keep(photo) {
    if (photo.hasPoster === false) return;
    this.#known.set(photo.id, photo);
    this.#last = Math.max(this.#last, photo.sequence);
  }

  // What was kept first goes first; another round asks for it again.
  #bound() {
    if (this.#known.size <= most) return;
    for (const id of this.#known.keys()) {
      if (this.#known.size <= most) break;
      this.#known.delete(id);
    }
    if (this.#next === null) this.#next = undefined;
  }

  #mixed(ids) {
    for (let last = ids.length - 1; last > 0; last -= 1) {
      const other = Math.floor(this.random() * (last + 1));
      [ids[last], ids[other]] = [ids[other], ids[last]];
    }
    return ids;
  }
}
