// Which of an event's albums a host looks at, and the way to their list.

import { api } from './api.js';
import { deedButton, element } from './markup.js';
import { seldom } from './seldom.js';

// In milliseconds: another session, a bridge or a bulk change may have changed them. To count their photos takes the server a while.
const pause = 15000;

export class AlbumFilter {
  #event;
  #turned;
  #albums = [];
  #question = 0;
  #select = element('select', { id: 'album-filter', 'aria-label': 'Album', hidden: true, change: () => this.#turned() });
  #edit = deedButton('Edit albums', async () => {
    const { editAlbums } = await import('./albums.js');
    await editAlbums(this.#event, () => this.load());
  }, { id: 'edit-albums', hidden: true });
  hear = seldom(pause, () => this.load());
  parts = [this.#select, this.#edit];

  // `turned()` is told that another one is looked at.
  constructor(event, turned) {
    this.#event = event;
    this.#turned = turned;
  }

  // Its id; empty where all photos are.
  get album() { return this.#select.value; }
  get name() { return this.#chosen?.name ?? ''; }
  // How many photos it holds.
  get count() { return this.#chosen?.photos; }
  get #chosen() { return this.#albums.find(({ id }) => id === this.album); }

  async load() {
    const mine = (this.#question += 1);
    const albums = await api.get(`/events/${this.#event}/albums`);
    // An answer that was asked for later is here.
    if (mine !== this.#question) return;
    this.#albums = albums;
    const { album } = this;
    const options = this.#albums.map(({ id, name, photos }) => element('option', { value: id }, `${name} (${photos.toLocaleString('en')})`));
    this.#select.replaceChildren(element('option', { value: '' }, 'All photos'), ...options);
    this.#select.value = this.#albums.some(({ id }) => id === album) ? album : '';
    const isEmpty = !this.#albums.length;
    if (isEmpty && this.parts.includes(document.activeElement)) document.getElementById('select').focus();
    for (const part of this.parts) part.hidden = isEmpty;
    // It was deleted.
    if (this.album !== album) this.#turned();
  }
}
