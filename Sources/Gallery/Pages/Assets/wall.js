// The photos on the page, the latest first; what has arrived since stands above them. The list itself is all there is: a photo is read back from its tile, whether the
// server wrote that or this file did.

import { compared } from './position.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// As PhotoTile.swift does it.
function tile(photo) {
  const twelfths = Math.round((12 * photo.thumbWidth) / Math.max(1, photo.thumbHeight));
  const moment = photo.localTime?.slice(0, 16);
  const link = make('a', { href: photo.screenUrl }, make('img', {
    src: photo.thumbUrl, width: photo.thumbWidth, height: photo.thumbHeight, loading: 'lazy', decoding: 'async',
    alt: photo.caption || 'Photo',
  }));
  if (moment) link.append(make('time', { datetime: moment }, moment.slice(11)));
  const item = make('li', {
    class: `a${Math.min(36, Math.max(6, twelfths))}`, id: photo.id, 'data-n': photo.sequence, 'data-at': photo.position,
    'data-bare': !photo.caption, 'data-tags': photo.tags?.length ? JSON.stringify(photo.tags) : null,
  }, link);
  if (photo.originalUrl) {
    item.append(make('a', { class: 'get', href: photo.originalUrl, download: true, 'aria-label': 'Download the original' }, '↓'));
  }
  return item;
}

export class Wall {
  constructor(list) {
    this.list = list;
  }

  get size() { return this.list.children.length; }
  get newest() { return this.list.firstElementChild; }
  get oldest() { return this.list.lastElementChild; }
  // The one that the list of older photos goes on behind; what has arrived is none of it.
  get last() { return [...this.list.children].findLast((item) => !('new' in item.dataset)); }

  find(id) {
    const item = document.getElementById(id);
    return item?.parentElement === this.list ? item : null;
  }

  read(item) {
    const image = item.querySelector('img');
    return {
      id: item.id, number: Number(item.dataset.n), caption: 'bare' in item.dataset ? '' : image.alt,
      tags: JSON.parse(item.dataset.tags || '[]'), moment: item.querySelector('time')?.dateTime || '',
      thumb: image.src, screen: item.firstElementChild.href, original: item.querySelector('.get')?.href,
    };
  }

  index(item) { return Array.prototype.indexOf.call(this.list.children, item); }

  clear() { this.list.replaceChildren(); }

  append(photos) {
    this.list.append(...photos.filter((photo) => !this.find(photo.id)).map(tile));
  }

  // It stays where it is while the viewer looks at it.
  replace(photo) {
    const old = this.find(photo.id);
    const item = tile(photo);
    if ('new' in old.dataset) item.dataset.new = '';
    old.replaceWith(item);
  }

  remove(id) {
    this.#moving(() => this.find(id)?.remove());
  }

  // On top, the latest of them first.
  arrive(photos) {
    this.#insert([...photos].sort((one, other) => compared(one.position, other.position)), (item) => {
      item.dataset.new = '';
      return this.list.firstElementChild;
    });
  }

  // Each to its place among those that have not just arrived.
  settle(photos) {
    this.#insert(photos, (item) => [...this.list.children].find(
      (other) => !('new' in other.dataset) && compared(other.dataset.at, item.dataset.at) < 0));
  }

  // The others slide to their places.
  #insert(photos, next) {
    this.#moving(() => {
      for (const photo of photos) {
        if (this.find(photo.id)) continue;
        const item = tile(photo);
        item.classList.add('new');
        this.list.insertBefore(item, next(item) ?? null);
        if (!still.matches) {
          item.animate([{ opacity: 0, transform: 'scale(.85)' }, {}], { duration: 450, easing: 'ease-out' });
        }
      }
    });
  }

  #moving(change) {
    const seen = still.matches ? [] : Array.prototype.slice.call(this.list.children, 0, 60);
    const before = seen.map((item) => item.getBoundingClientRect());
    change();
    seen.forEach((item, index) => {
      const now = item.getBoundingClientRect();
      const was = before[index];
      const isNear = was.bottom > 0 && was.top < innerHeight && Math.abs(was.top - now.top) < innerHeight;
      if (!item.isConnected || !isNear || (was.left === now.left && was.top === now.top)) return;
      const from = `translate(${was.left - now.left}px, ${was.top - now.top}px)`;
      item.animate([{ transform: from }, {}], { duration: 450, easing: 'cubic-bezier(.2, .8, .2, 1)' });
    });
  }
}
