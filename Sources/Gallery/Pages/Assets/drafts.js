// Comments that were typed and not sent, by their photo. They end with the tab and not with the page, which a phone loads anew when it
// needs its memory, and this one itself where the hosts have changed the PIN.

export class Drafts {
  #drafts = new Map();
  #key;

  constructor(path) {
    this.#key = `comments ${path}`;
    try {
      this.#drafts = new Map(JSON.parse(sessionStorage.getItem(this.#key) ?? '[]'));
    } catch {
      // A browser that stores nothing keeps them as long as the page.
    }
  }

  get(photo) { return this.#drafts.get(photo); }

  // Nothing of what is empty. `sent` is what was sent of it already, where it is not known whether that has arrived.
  keep(photo, text, sent) {
    if (text.trim()) this.#drafts.set(photo, { text, sent });
    else this.#drafts.delete(photo);
    try {
      sessionStorage.setItem(this.#key, JSON.stringify([...this.#drafts]));
    } catch {
      // As above, or its room is used up.
    }
  }
}
