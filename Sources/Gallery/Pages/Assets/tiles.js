// The tiles that are on the page, in their hours, each at the place that it is given.

import { locale, text } from './text.js';
import { blur, isAlike, make, read, sources, tile } from './tile.js';

const inWords = (wishes) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC', ...wishes });
const [day, shortDay] = [inWords({ year: 'numeric' }), inWords({})];

// "21 November 2026", as Words.swift does it; or without the year.
export const dayOf = (hour, isShort) => (isShort ? shortDay : day).format(new Date(`${hour}Z`));

export class Tiles {
  #known = new Map();
  #hours = new Map();
  #fresh = new Set();

  // What else stands on a tile, once the scripts for it are there.
  #adorn = [];

  constructor(root) {
    this.root = root;
    root.addEventListener('error', ({ target }) => {
      // The larger picture may be gone, or unknown to the server of a version before: the thumb is there. Else its words are, which
      // are read on one colour only.
      if (target.srcset) target.removeAttribute('srcset');
      else target.style.background = 'none';
    }, true);
  }

  // What the server wrote, as photos.
  adopt() {
    const photos = [];
    for (const element of this.root.querySelectorAll('.hour')) {
      const list = element.querySelector('ul');
      for (const item of list.children) {
        const photo = read(item);
        const image = item.querySelector('img');
        if (image.complete && !image.naturalWidth) image.removeAttribute('srcset');
        photos.push(photo);
        this.#known.set(photo.id, { item, photo });
      }
      this.#hours.set(element.dataset.hour ?? '', { element, list });
    }
    return photos;
  }

  adorn(deed) {
    this.#adorn.push(deed);
    for (const { item, photo } of this.#known.values()) if (photo) deed(item, photo);
  }

  link(key) { return this.#known.get(key)?.item.querySelector('a'); }

  // They come into sight as new.
  announce(photos) { photos.forEach((photo) => this.#fresh.add(photo.id)); }

  // Pictures that could not be loaded are asked for once more, sharp ones as well.
  retry() {
    for (const { item, photo } of this.#known.values()) {
      const image = item.querySelector('img[src]');
      if (!image?.complete || image.naturalWidth) continue;
      const larger = sources(photo);
      if (larger) image.setAttribute('srcset', larger);
      image.style.background = '';
      image.setAttribute('src', photo.thumbUrl);
    }
  }

  // By key, in order: {photo, section, index, x, y, width, height}; all others are taken away.
  build(wanted) {
    const focused = this.root.contains(document.activeElement) ? document.activeElement : null;
    for (const [key, old] of this.#known) {
      if (!wanted.has(key)) this.#drop(key, old);
    }
    const names = new Set();
    for (const { section } of wanted.values()) names.add(section.title ?? '');
    for (const [name, { element }] of this.#hours) {
      if (names.has(name)) continue;
      element.remove();
      this.#hours.delete(name);
    }
    this.#place(wanted);
    // What is put elsewhere loses the focus.
    if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
  }

  // What is there already stays where it is, if it is in order.
  #place(wanted) {
    let place = this.root.firstElementChild;
    let hour;
    let next;
    for (const [key, where] of wanted) {
      if (hour?.section !== where.section) {
        hour = this.#hour(where.section);
        if (hour.element === place) place = place.nextElementSibling;
        else this.root.insertBefore(hour.element, place);
        next = hour.list.firstElementChild;
      }
      const item = this.#tile(key, where);
      // It may have taken the place of the one that was there.
      if (next && next.parentElement !== hour.list) next = item;
      if (item === next) next = next.nextElementSibling;
      else hour.list.insertBefore(item, next);
    }
  }

  #drop(key, { item }) {
    // What was scrolled past need not be loaded any more.
    const image = item.querySelector('img');
    if (image && !image.complete) ['srcset', 'src'].forEach((name) => image.removeAttribute(name));
    item.remove();
    this.#known.delete(key);
    this.#fresh.delete(key);
  }

  #hour(section) {
    const name = section.title ?? '';
    let hour = this.#hours.get(name);
    if (!hour) {
      const heading = make('h2');
      if (section.isNew) heading.append(text('wall.justIn'));
      else if (name) heading.append(make('time', { datetime: name }, name.slice(11)), ' ', make('bdi', {}, dayOf(name)));
      const list = make('ul', { role: 'list' });
      hour = { element: make('section', { class: 'hour', 'data-hour': section.title }, ...(name ? [heading] : []), list), list };
      this.#hours.set(name, hour);
    }
    hour.section = section;
    hour.element.style.top = `${section.top}px`;
    hour.element.style.height = `${section.height}px`;
    return hour;
  }

  #tile(key, { photo, section, index, x, y, width, height }) {
    let known = this.#known.get(key);
    if (!known) {
      known = { item: photo ? this.#made(photo) : make('li', { class: 'blank' }), photo };
      if (this.#fresh.has(key)) known.item.classList.add('new');
      this.#known.set(key, known);
    } else if (photo !== known.photo) {
      if (!isAlike(known.photo, photo)) known = this.#again(key, known, photo);
      else blur(known.item, photo);
      known.photo = photo;
    }
    const { item } = known;
    const top = y - section.top;
    if (known.x !== x || known.top !== top || known.width !== width || known.height !== height) {
      Object.assign(item.style, { insetInlineStart: `${x}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
      Object.assign(known, { x, top, width, height });
      const image = item.querySelector('img[srcset]');
      if (image) image.sizes = `${width}px`;
    }
    known.y = y;
    const number = index - section.first + 1;
    if (known.number !== number) item.setAttribute('aria-posinset', (known.number = number));
    if (known.size !== section.count) item.setAttribute('aria-setsize', (known.size = section.count));
    return item;
  }

  #made(photo) {
    const item = tile(photo);
    for (const deed of this.#adorn) deed(item, photo);
    return item;
  }

  // The photo is another now; it stays where it is while one looks at it.
  #again(key, known, photo) {
    const hadFocus = known.item.contains(document.activeElement);
    const item = this.#made(photo);
    known.item.replaceWith(item);
    this.#known.set(key, { item, photo });
    if (hadFocus) item.querySelector('a').focus({ preventScroll: true });
    return this.#known.get(key);
  }

  // Where each is, below the top of what is seen.
  boxes(top) {
    return new Map([...this.#known].map(([key, { x, y }]) => [key, { x, y: y - top }]));
  }

  // From where they were to where they are; new ones come up.
  slide(before, top) {
    const side = getComputedStyle(this.root).direction === 'rtl' ? -1 : 1;
    for (const [key, { item, x, y }] of this.#known) {
      const was = before.get(key);
      if (!was && this.#fresh.has(key)) {
        item.animate([{ opacity: 0, transform: 'scale(.85)' }, {}], { duration: 450, easing: 'ease-out' });
        continue;
      }
      const now = y - top;
      const isNear = was && now > -innerHeight && now < innerHeight && Math.abs(was.y - now) < innerHeight;
      if (!isNear || (was.x === x && was.y === now)) continue;
      const from = `translate(${side * (was.x - x)}px, ${was.y - now}px)`;
      item.animate([{ transform: from }, {}], { duration: 450, easing: 'cubic-bezier(.2, .8, .2, 1)' });
    }
  }
}
