// How many hearts and comments photos have: on their tiles, and for the lightbox, whose part of it is loaded with the first
// photo that is opened.

import { styled } from './picker.js';
import { learn, number, text } from './text.js';
import { make } from './tile.js';

const NONE = { hearts: 0, comments: 0, edits: 0 };

export class Hearts {
  #known = new Map();
  // Those that were told since the list of all was asked for, which may be older.
  #told = new Set();
  #liking;
  #loads = 0;
  #again = () => this.load();

  // Told when there are others.
  changed = () => {};

  constructor(list) {
    this.list = list;
    // Without it counts are plain text.
    styled('hearts.css').catch(() => {});
    list.wall.tiles.adorn((item) => this.#mark(item));
    this.load();
  }

  of(id) { return this.#known.get(id) ?? NONE; }

  async load() {
    const mine = (this.#loads += 1);
    const named = new Set();
    this.#told.clear();
    try {
      for (let cursor = ''; cursor !== null;) {
        const { next, photos, ...taken } = await this.list.ask('reactions', { cursor });
        // Another has begun, and knows better.
        if (mine !== this.#loads) return;
        photos.forEach(({ id }) => named.add(id));
        this.#take({ ...taken, photos: photos.filter(({ id }) => !this.#told.has(id)) });
        cursor = next;
      }
      const left = [...this.#known.keys()].filter((id) => !named.has(id) && !this.#told.has(id));
      this.#take({ photos: left.map((id) => ({ id, ...NONE })) });
    } catch {
      // What is told from now on is shown all the same.
      addEventListener('online', this.#again, { once: true });
    }
  }

  hear(news) {
    news.photos.forEach(({ id }) => this.#told.add(id));
    this.#take(news);
  }

  #take({ photos, ...taken }) {
    Object.assign(this, taken);
    document.documentElement.classList.toggle('hearts', this.allowsHearts);
    for (const photo of photos) {
      this.#known.set(photo.id, photo);
      const item = document.getElementById(photo.id);
      if (item) this.#mark(item);
    }
    this.changed();
  }

  #mark(item) {
    const count = this.of(item.id).hearts;
    item.querySelector('.liked')?.remove();
    if (count) item.append(make('span', { class: 'liked', role: 'img', 'aria-label': text('wall.hearts', { count }) }, `♥ ${number(count)}`));
  }

  // The lightbox shows that photo.
  async show(box, photo) {
    this.photo = photo;
    if (this.allowsHearts === undefined) this.load();
    this.#liking ??= Promise.all([import('./liking.js'), learn('hearts'), styled('liking.css')]).then(([{ Liking }]) => new Liking(this, box));
    try {
      (await this.#liking).show();
    } catch {
      // The next photo tries again.
      this.#liking = null;
    }
  }
}
