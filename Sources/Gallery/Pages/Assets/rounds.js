// Which photo comes next on a screen that shows an evening for hours: what is new, at once; then all that is known, each once
// in a round, in another order every time. Older ones are asked for a page at a time, so that a round of 50,000 begins at once,
// and only so many are kept.

const most = 4000;

export class Rounds {
  #known = new Map();
  #round = [];
  #fresh = [];
  #shown = [];
  // Where older photos begin: undefined before the first page, nothing after the last.
  #next;
  #asking;

  // `ask(cursor)` gives a page of photos and where the next begins; `random()` is from 0 up to 1.
  constructor(ask, random = Math.random) {
    Object.assign(this, { ask, random });
  }

  get size() { return this.#known.size; }

  // It was taken just now, or it has changed.
  welcome(photo) {
    const isKnown = this.#known.has(photo.id);
    this.#known.set(photo.id, photo);
    if (!isKnown) this.#fresh.push(photo.id);
    this.#bound();
  }

  lose(id) {
    this.#known.delete(id);
  }

  // What is kept may be anything by now: it is read anew.
  forget() {
    this.#known.clear();
    this.#round = [];
    this.#fresh = [];
    this.#shown = [];
    this.#next = undefined;
  }

  // The next photo; nothing where there is none at all.
  async next() {
    if (!this.#take(this.#fresh, true)) await this.#fill();
    const id = this.#take(this.#fresh) ?? this.#take(this.#round);
    if (!id) return null;
    this.#shown.push(id);
    if (this.#shown.length > 100) this.#shown.shift();
    return this.#known.get(id);
  }

  // The one before the one on show.
  before() {
    while (this.#shown.length > 1) {
      const id = this.#shown.pop();
      // It comes again when one goes on.
      if (this.#known.has(id)) this.#fresh.unshift(id);
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
      // Who asks meanwhile waits for the same answer.
      this.#asking ??= this.#more().finally(() => (this.#asking = null));
      await this.#asking.catch((problem) => {
        // Without a connection what is known goes round.
        if (!this.size) throw problem;
      });
    }
    if (this.#take(this.#round, true)) return;
    this.#round = this.#mixed([...this.#known.keys()]);
    // Not the same photo twice.
    if (this.#round.length > 1 && this.#round[0] === this.#shown.at(-1)) this.#round.push(this.#round.shift());
  }

  async #more() {
    const { photos, next } = await this.ask(this.#next);
    this.#next = next || null;
    const ids = photos.filter((photo) => !this.#known.has(photo.id)).map((photo) => photo.id);
    photos.forEach((photo) => this.#known.set(photo.id, photo));
    this.#bound();
    this.#round.push(...this.#mixed(ids));
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
