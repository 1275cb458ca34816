// Which photos the wall shows: all of them, what was searched for while one typed, or the guest's own picks.

import { say, words } from './say.js';

export class Finder {
  #typing;
  #question = null;
  // Where one was among all photos before the picks were shown.
  #left = null;

  // `begun()` is told when another list is asked for, and `shown()` when it is there.
  constructor(main, field, list, { begun, shown }) {
    Object.assign(this, { main, field, list, begun, shown });
    field.addEventListener('input', () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.search(field.value), 500);
    });
    field.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      this.search(field.value);
      field.blur();
    });
  }

  // Nothing searches for all.
  async search(text) {
    clearTimeout(this.#typing);
    text = text.trim();
    const { list } = this;
    if (text === list.search && !list.source && !this.#question) return;
    const { path } = list;
    history.replaceState(null, '', text ? `${path}?q=${encodeURIComponent(text)}` : path);
    const place = text ? null : this.#left;
    await this.#show((signal) => (text ? list.find(text, signal) : this.#all(place, signal)), {
      told: (found) => (text ? `${words(found.photos.length, 'photo', 'photos')}${found.next ? ' and more' : ''} found` : 'All photos'),
      failed: text ? 'No connection, so nothing was searched' : 'No connection. Try again', place,
    });
  }

  // What `source(cursor, signal)` answers, page by page.
  async showPicks(source) {
    clearTimeout(this.#typing);
    const left = this.list.part ? null : this.list.wall.place();
    const isShown = await this.#show((signal) => this.list.find('', signal, source), {
      told: () => 'Your picks', failed: 'No connection. Try again',
    });
    if (!isShown) return;
    this.#left = left;
    this.field.value = '';
    history.replaceState(null, '', this.list.path);
  }

  async #show(ask, { told, failed, place }) {
    this.#question?.abort();
    const mine = (this.#question = new AbortController());
    this.begun();
    this.main.setAttribute('aria-busy', 'true');
    try {
      const found = await ask(mine.signal);
      if (mine !== this.#question) return false;
      this.#left = null;
      this.shown();
      if (!place) scrollTo({ top: 0, behavior: 'instant' });
      say(told(found), false);
      return true;
    } catch {
      if (mine === this.#question) say(failed);
      return false;
    } finally {
      if (mine === this.#question) {
        this.#question = null;
        this.main.removeAttribute('aria-busy');
      }
    }
  }

  // By their timeline, or else page by page.
  async #all(place, signal) {
    try {
      return await this.list.renew({ place: () => place, signal });
    } catch {
      const found = await this.list.find('', signal);
      this.list.begin(() => null);
      return found;
    }
  }
}
