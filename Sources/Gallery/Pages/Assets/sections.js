// The sections of an event: links, which lead to their photos without loading the page anew, and back by the browser's own way.

import { number, text } from './text.js';
import { make } from './tile.js';

// In milliseconds: how soon a change is looked at, in a section and above all photos, and how far looks are apart while there is
// one change after the other. Thousands of guests may listen.
const SOON = 1200;
const LATER = 8000;
const BUSY = 6000;

export class Sections {
  #tag = '';
  #timer = null;
  #looked = -BUSY;
  // What the wall is turning to, until it has.
  #wanted = null;

  // `compare(isForced)` looks whether the section's list is still what it was, and `counted(photos)` is told how many one has.
  constructor(row, list, finder, { compare, counted }) {
    Object.assign(this, { row, list, finder, compare, counted });
    this.all = Number(this.#link('').dataset.count);
    row.addEventListener('click', (click) => {
      const link = click.target.closest('a');
      if (!link || click.ctrlKey || click.metaKey || click.shiftKey || click.button) return;
      click.preventDefault();
      this.#turnTo(link.dataset.album);
    });
    addEventListener('popstate', () => this.#followAddress());
    this.#reveal();
  }

  #link(album) { return [...this.row.querySelectorAll('a')].find((link) => link.dataset.album === album); }
  #called(album) { return this.#link(album)?.querySelector('bdi').textContent ?? ''; }

  // Of the section that is shown; empty where all are.
  get name() { return this.list.album ? this.#called(this.list.album) : ''; }

  // What was searched for before was of another section.
  async #turnTo(album, words = '', isNew = true) {
    const { list, finder } = this;
    const wanted = [album, words].join('\n');
    // Two taps may be closer together than an answer.
    if (wanted === (this.#wanted ?? [list.album, list.search].join('\n')) && !list.source) return;
    this.#wanted = wanted;
    const isShown = await finder.show(async (signal) => {
      const found = words ? await list.find(words, signal, null, album) : await finder.all(null, signal, album);
      this.counted(typeof found === 'number' ? found : Number(this.#link(album)?.dataset.count ?? 0));
      return found;
    }, { told: () => this.#called(album), failed: 'wall.noConnection' });
    if (this.#wanted === wanted) this.#wanted = null;
    if (!isShown) return;
    if (isNew) history.pushState(null, '', list.address(words));
    finder.field.value = words;
    this.#mark();
  }

  #followAddress() {
    const asked = new URLSearchParams(location.search);
    const [album, words] = [asked.get('album') ?? '', (asked.get('q') ?? '').trim()];
    if (album !== this.list.album || words !== this.list.search) this.#turnTo(album, words, false);
  }

  #mark() {
    for (const link of this.row.querySelectorAll('a')) {
      if (link.dataset.album === this.list.album) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    // A search without scripts is one of the section.
    const { form } = this.finder.field;
    form.querySelector('[name=album]')?.remove();
    if (this.list.album) form.append(make('input', { type: 'hidden', name: 'album', value: this.list.album }));
    this.#reveal();
  }

  // In the row, which moves by itself only sideways.
  #reveal() {
    const [link, list] = [this.row.querySelector('[aria-current]'), this.row.firstElementChild];
    if (!link) return;
    const [mine, seen] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
    if (mine.left < seen.left || mine.right > seen.right) list.scrollLeft += mine.left - seen.left - (seen.width - mine.width) / 2;
  }

  // Something has changed, of which sections it is not said: many guests at once ask at different moments.
  hear(all) {
    this.all = all;
    const pause = Math.max(this.list.album ? SOON : LATER, BUSY - (performance.now() - this.#looked));
    this.#timer ??= setTimeout(() => this.#renew(), pause * (0.75 + 0.5 * Math.random()));
  }

  async #renew() {
    this.#timer = null;
    this.#looked = performance.now();
    try {
      const answer = await this.list.ask('albums', {}, { known: this.#tag });
      if (answer) {
        this.#tag = answer.tag;
        this.albums = answer.albums;
      }
      if (this.albums) this.#draw(this.albums);
      if (this.list.album) await this.compare(false);
    } catch {
      // The connection says so elsewhere; the next message asks again.
    }
  }

  #draw(albums) {
    const focused = this.row.contains(document.activeElement) ? document.activeElement.dataset.album : null;
    const items = [{ id: '', name: text('wall.all'), photos: this.all }, ...albums];
    const list = this.row.firstElementChild;
    const { scrollLeft } = list;
    list.replaceChildren(...items.map(({ id, name, photos }) => make('li', {}, make('a', {
      href: this.list.address('', id), 'data-album': id, 'data-count': photos, 'aria-current': id === this.list.album && 'true',
    }, make('bdi', {}, name), ' ', make('small', {}, number(photos))))));
    list.scrollLeft = scrollLeft;
    if (focused !== null) (this.#link(focused) ?? this.#link('')).focus({ preventScroll: true });
  }
}
