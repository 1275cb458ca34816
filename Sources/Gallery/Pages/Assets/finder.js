// Which photos the wall shows: all of them, what was searched for while one typed, or the guest's own picks.

import { say } from './say.js';
import { text } from './text.js';

export class Finder {
  #typing;
  #question = null;
  // Where one was among all photos before the picks were shown.
  #left = null;

  // `begun()` is told when another list is asked for, and `shown()` when it is there.
  constructor(main, field, list, { begun, shown }) {
    Object.assign(this, { main, field, list, begun, shown });
    field.oninput = () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.search(field.value), 500);
    };
    field.form.onsubmit = (submit) => {
      submit.preventDefault();
      this.search(field.value);
      field.blur();
    };
  }

  // Nothing searches for all.
  async search(wanted) {
    clearTimeout(this.#typing);
    const words = wanted.trim();
    const { list } = this;
    if (words === list.search && !list.source && !this.#question) return;
    history.replaceState(null, '', list.address(words));
    const place = words ? null : this.#left;
    await this.show((signal) => (words ? list.find(words, signal) : this.all(place, signal)), {
      told: ({ photos, next }) => (words ? text(next ? 'wall.foundMore' : 'wall.found', { count: photos.length }) : text('wall.all')),
      failed: words ? 'wall.notSearched' : 'wall.noConnection', place,
    });
  }

  // What `source(cursor, signal)` answers, page by page.
  async showPicks(source) {
    clearTimeout(this.#typing);
    const left = this.list.part ? null : this.list.wall.place();
    const isShown = await this.show((signal) => this.list.find('', signal, source), {
      told: () => text('wall.yourPicks'), failed: 'wall.noConnection',
    });
    if (!isShown) return;
    this.#left = left;
    this.field.value = '';
    history.replaceState(null, '', this.list.address(''));
  }

  async show(ask, { told, failed, place }) {
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
      if (mine === this.#question) say(text(failed));
      return false;
    } finally {
      if (mine === this.#question) {
        this.#question = null;
        this.main.removeAttribute('aria-busy');
      }
    }
  }

  // By their timeline, or else page by page.
  async all(place, signal, album = this.list.album) {
    try {
      return await this.list.renew({ place: () => place, signal, album });
    } catch {
      const found = await this.list.find('', signal, null, album);
      this.list.begin(() => null);
      return found;
    }
  }
}
