// What this guest has picked: kept in this browser only, under the event's address, and the same in all its tabs. Where the
// browser keeps nothing, picks last as long as the page.

// As many as one ZIP has.
export const MOST = 1000;
// Stands there for a moment, for other tabs.
const CLEARED = '[]';

const isId = (id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
const isPick = (entry) => Array.isArray(entry) && isId(entry[0]) && /^-?\d{1,15}_\d{1,18}$/.test(entry[1]);

// Whatever stands there, an older page or another program may have written it.
function picksIn(text) {
  try {
    return JSON.parse(text ?? '[]').filter(isPick).slice(0, MOST);
  } catch {
    return [];
  }
}

export class Picks {
  #key;
  // By id, where each stands in the list of all.
  #known = new Map();
  // Those that were hidden while this page was open: a host may show them again.
  #away = new Map();
  #isKept = true;

  // Told when others are picked, whoever did it.
  changed = () => {};

  constructor(path) {
    this.#key = `picks ${path}`;
    this.#read();
    addEventListener('storage', ({ key, newValue }) => {
      if (key !== this.#key && key !== null) return;
      // What was cleared in another tab does not come back with its photo.
      if (key === null || newValue === CLEARED) this.#away.clear();
      this.#renew();
    });
    addEventListener('pageshow', (shown) => shown.persisted && this.#renew());
  }

  get size() { return this.#known.size; }
  // [id, position], as they were picked.
  get entries() { return [...this.#known]; }

  has(id) { return this.#known.has(id); }

  // False where there are as many as there may be.
  add(photo) { return this.restore([[photo.id, photo.position]]); }

  restore(entries) {
    let isDone = true;
    this.#change(() => {
      for (const [id, position] of entries) {
        isDone = this.#known.has(id) || this.#known.size < MOST;
        if (isDone) this.#known.set(id, position);
      }
    });
    return isDone;
  }

  remove(...ids) { this.#change(() => ids.forEach((id) => this.#known.delete(id))); }

  // Answers what was picked.
  clear() {
    let before;
    this.#change(() => {
      before = this.entries;
      this.#known.clear();
    });
    this.#away.clear();
    // Other tabs cannot tell from nothing being picked any more that it was cleared.
    this.#kept(() => {
      localStorage.setItem(this.#key, CLEARED);
      localStorage.removeItem(this.#key);
    });
    return before;
  }

  // A photo is not there any more.
  lose(id) {
    if (!this.has(id)) return;
    this.#away.set(id, this.#known.get(id));
    this.remove(id);
  }

  // It is there, perhaps again.
  find(photo) {
    if (this.#away.delete(photo.id)) this.add(photo);
  }

  // What another tab has picked meanwhile stays picked.
  #change(deed) {
    this.#read();
    deed();
    this.#write();
    this.changed();
  }

  #renew() {
    this.#read();
    this.changed();
  }

  #read() {
    this.#kept(() => (this.#known = new Map(picksIn(localStorage.getItem(this.#key)))));
  }

  #write() {
    this.#kept(() => {
      if (this.size) localStorage.setItem(this.#key, JSON.stringify(this.entries));
      else localStorage.removeItem(this.#key);
    });
  }

  // What the browser does not keep lasts as long as the page.
  #kept(deed) {
    if (!this.#isKept) return;
    try {
      deed();
    } catch {
      this.#isKept = false;
    }
  }
}
