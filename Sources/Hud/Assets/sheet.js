// The contact sheet: the last photos, or those that were searched for. Tiles are kept and changed, so that focus and pictures
// stay where they are.

import { element } from './element.js';
import { look } from './door.js';
import { shotAt } from './words.js';

const wall = document.getElementById('photos');
const none = document.getElementById('none');
const search = document.getElementById('search');
const chips = [...document.querySelectorAll('[data-show]')];
const signs = { arriving: '↓', onItsWay: '↑', delivered: '✓', failed: '!', kept: '▪', aside: '–' };

export const pictureOf = (photo, size) => `/pictures/${photo.id}/${photo.picture}/${size}`;

export class Sheet {
  #tiles = new Map();
  #latest = new Map();
  #most = 60;
  #show = 'latest';
  #timer;
  #asked = 0;
  #lastNews = 0;
  #sharp = [];
  #isSharpening = false;
  #sight;

  constructor(open, fail) {
    this.open = open;
    this.fail = fail;
    this.#sight = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) target.isSeen = isIntersecting;
      this.#sharpen();
    }, { rootMargin: '200px' });
    search.addEventListener('input', () => this.#later(500));
    document.getElementById('search-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#later(0);
    });
    for (const chip of chips) chip.addEventListener('click', () => this.choose(chip.dataset.show));
  }

  choose(show) {
    this.#show = show;
    for (const chip of chips) chip.setAttribute('aria-pressed', chip.dataset.show === show);
    this.#later(0);
  }

  get #isLatest() { return this.#show === 'latest' && search.value.trim() === ''; }

  // Everything anew.
  begin(photos, most) {
    this.#most = most;
    this.#latest = new Map(photos.map((photo) => [photo.id, photo]));
    this.#isLatest ? this.#render(this.#newest()) : this.#later(0);
  }

  // What has changed.
  take(photos) {
    this.#lastNews = Date.now();
    for (const photo of photos) this.#latest.set(photo.id, photo);
    for (const id of [...this.#latest.keys()].sort((a, b) => b - a).slice(this.#most)) this.#latest.delete(id);
    if (this.#isLatest) this.#render(this.#newest());
    else this.again();
  }

  // What was searched for may be otherwise by now.
  again() {
    if (!this.#isLatest && !this.#timer) this.#later(1500);
  }

  #newest() { return [...this.#latest.values()].sort((a, b) => b.id - a.id); }

  #later(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), wait);
  }

  async #ask() {
    this.#timer = null;
    if (this.#isLatest) {
      this.#render(this.#newest());
      return;
    }
    const number = (this.#asked += 1);
    const words = new URLSearchParams({ show: this.#show, q: search.value.trim() });
    try {
      const { photos } = await look(`/api/photos?${words}`);
      // A slow answer to an earlier question is none to this one.
      if (number === this.#asked && !this.#isLatest) this.#render(photos);
    } catch (refusal) {
      this.fail(refusal);
    }
  }

  #render(photos) {
    const wanted = new Set(photos.map(({ id }) => id));
    for (const [id, tile] of this.#tiles) {
      if (wanted.has(id)) continue;
      this.#sight.unobserve(tile);
      tile.remove();
      this.#tiles.delete(id);
    }
    let before = wall.firstElementChild;
    for (const photo of photos) {
      let tile = this.#tiles.get(photo.id);
      if (tile && tile === before) before = tile.nextElementSibling;
      if (!tile) {
        tile = this.#make(photo);
        this.#tiles.set(photo.id, tile);
        wall.insertBefore(tile, before);
        this.#sight.observe(tile);
      } else if (tile.nextElementSibling !== before) {
        wall.insertBefore(tile, before);
      }
      this.#fill(tile, photo);
    }
    none.hidden = photos.length > 0;
    none.textContent = this.#isLatest ? 'The first photo appears here as soon as it is shot.'
      : this.#show === 'failed' && !search.value ? 'Nothing has failed.'
        : this.#show === 'open' && !search.value ? 'Nothing is on its way.' : 'No such photo in this event.';
  }

  #make(photo) {
    const tile = element('li', { 'data-id': photo.id },
      element('button', { type: 'button', click: () => this.open(tile.photo) },
        element('span', { class: 'frame' }),
        element('span', { class: 'name' }, element('bdi', {}), element('time', {})),
        element('span', { class: 'word' }), element('span', { class: 'said', hidden: true })));
    return tile;
  }

  #fill(tile, photo) {
    const old = tile.photo;
    tile.photo = photo;
    if (old && JSON.stringify(old) === JSON.stringify(photo)) return;
    tile.dataset.standing = photo.standing;
    tile.querySelector('.name bdi').textContent = photo.name;
    tile.querySelector('time').textContent = shotAt(photo.shot);
    tile.querySelector('.word').replaceChildren(
      element('span', { 'aria-hidden': 'true', class: 'sign' }, signs[photo.standing] ?? ''), photo.word);
    this.#mark(tile, photo);
    tile.querySelector('button').title = photo.problem ?? photo.path;
    if (photo.picture && old?.picture !== photo.picture) this.#picture(tile, photo);
    for (const order of this.#sharp) if (order.tile === tile) order.photo = photo;
  }

  // What the operator and the host say of it at the gallery.
  #mark(tile, photo) {
    const said = tile.querySelector('.said');
    said.hidden = !photo.rating && !photo.hidden;
    tile.toggleAttribute('data-hidden', photo.hidden);
    said.replaceChildren(
      photo.rating ? element('span', { role: 'img', 'aria-label': `rated ${photo.rating} of 5` }, '★'.repeat(photo.rating)) : '',
      photo.hidden ? element('span', {}, photo.rating ? ' hidden' : 'hidden') : '');
  }

  // What the camera has put into the file, at once; the sharp one when there is nothing else to do. Where the file has gone the
  // gallery's, which may need another moment, or an uplink that is back.
  #picture(tile, photo) {
    const frame = tile.querySelector('.frame');
    if (photo.isHere) {
      const image = element('img', { alt: '', decoding: 'async', src: pictureOf(photo, 'camera') });
      image.addEventListener('load', () => frame.replaceChildren(image), { once: true });
    }
    this.#sharp = this.#sharp.filter((other) => other.tile !== tile);
    this.#sharp.push({ tile, photo, tries: 0, due: 0 });
    this.#sharpen();
  }

  async #sharpen() {
    if (this.#isSharpening) return;
    this.#isSharpening = true;
    for (;;) {
      this.#sharp = this.#sharp.filter(({ tile, photo, tries }) => tile.isConnected && tries < (photo.isHere ? 3 : Infinity));
      const seen = this.#sharp.filter(({ tile }) => tile.isSeen);
      if (!seen.length || document.hidden) break;
      const order = seen.reduce((first, other) => (other.due < first.due ? other : first));
      // While photos come, the bridge has better things to do.
      const wait = Math.max(1500 - (Date.now() - this.#lastNews), order.due - Date.now());
      if (wait > 0) {
        await new Promise((done) => setTimeout(done, Math.min(wait, 1000)));
        continue;
      }
      const image = element('img', { alt: '', src: pictureOf(order.photo, 'tile') });
      try {
        await image.decode();
        order.tile.querySelector('.frame').replaceChildren(image);
        this.#sharp.splice(this.#sharp.indexOf(order), 1);
      } catch {
        order.tries += 1;
        order.due = Date.now() + (order.photo.isHere ? 700 : Math.min(5000 * order.tries, 60000));
      }
    }
    this.#isSharpening = false;
  }
}
