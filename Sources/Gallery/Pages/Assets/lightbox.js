// One photo before everything else. It opens over the wall with an entry in the history, so that a phone's way back closes
// it; its address names the photo.

import { make } from './wall.js';
import { send } from './share.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Lightbox {
  #item;
  #drag;
  #turns = 0;

  // `around`: `total()` photos if that is known, `more()` to fetch older ones, `search(tag)`, `name`.
  constructor(template, wall, around) {
    this.wall = wall;
    this.around = around;
    this.box = template.content.firstElementChild.cloneNode(true);
    document.body.append(this.box);
    const part = (name) => this.box.querySelector(name);
    this.image = part('img');
    this.stage = part('.stage');
    this.parts = {
      place: part('.place'), caption: part('.caption'), tags: part('.tags'), said: part('.unseen'), get: part('#box-get'),
      link: part('#box-link'), newer: part('#box-newer'), older: part('#box-older'),
    };
    part('#box-close').onclick = () => this.close();
    this.parts.newer.onclick = () => this.turn(-1);
    this.parts.older.onclick = () => this.turn(1);
    this.parts.link.onclick = () => send(around.name, location.href);
    this.box.addEventListener('cancel', (cancel) => {
      cancel.preventDefault();
      this.close();
    });
    this.box.addEventListener('keydown', (key) => this.#key(key));
    this.stage.addEventListener('click', (click) => click.target === this.stage && this.close());
    this.#swipes();
    addEventListener('popstate', () => this.#followAddress());
    visualViewport?.addEventListener('resize', () => this.box.classList.toggle('zoomed', visualViewport.scale > 1.02));
  }

  get isOpen() { return this.box.open; }
  get shown() { return this.#item; }

  open(item, isFromAddress = false) {
    if (!isFromAddress) history.pushState({ box: true }, '', `#${item.id}`);
    document.documentElement.classList.add('boxed');
    if (!this.isOpen) this.box.showModal();
    this.show(item);
    this.box.focus();
  }

  close() {
    if (history.state?.box) history.back();
    else {
      history.replaceState(null, '', location.pathname + location.search);
      this.#shut();
    }
  }

  // Where the photo on show is taken away, what stood beside it is seen.
  leave(item) {
    if (this.#item !== item) return;
    const other = item.nextElementSibling ?? item.previousElementSibling;
    if (other) this.show(other);
    else this.close();
  }

  turn(step) {
    const other = step > 0 ? this.#item.nextElementSibling : this.#item.previousElementSibling;
    if (!other) return this.#settle();
    history.replaceState(history.state, '', `#${other.id}`);
    this.show(other);
    if (!still.matches) {
      const from = `translateX(${step > 0 ? 12 : -12}%)`;
      this.image.animate([{ transform: from, opacity: 0.3 }, {}], { duration: 180, easing: 'ease-out' });
    }
  }

  async show(item) {
    const photo = this.wall.read(item);
    this.#item = item;
    this.#settle();
    this.#words(photo, item);
    const turn = (this.#turns += 1);
    // The thumb is here already; it stands in until the large one is.
    this.image.src = photo.thumb;
    this.image.alt = photo.caption || 'Photo';
    const large = make('img', { src: photo.screen });
    const isWhole = await large.decode().then(() => true, () => false);
    if (turn !== this.#turns) return;
    if (isWhole) this.image.src = photo.screen;
    for (const neighbour of [item.nextElementSibling, item.previousElementSibling]) {
      if (neighbour) make('img', { src: this.wall.read(neighbour).screen });
    }
    if (this.wall.size - this.wall.index(item) < 6) await this.around.more();
    if (turn === this.#turns) this.#bounds();
  }

  #words(photo, item) {
    const { place, caption, tags, said, get, link } = this.parts;
    const total = this.around.total();
    const number = this.wall.index(item) + 1;
    const time = photo.moment.slice(11);
    place.textContent = [total ? `${number} / ${total}` : number, time].filter(Boolean).join(' · ');
    caption.textContent = photo.caption;
    tags.replaceChildren(...photo.tags.map((tag) => {
      const chip = make('a', { href: `?q=${encodeURIComponent(tag)}`, dir: 'auto' }, tag);
      chip.onclick = (click) => {
        click.preventDefault();
        this.#shut();
        history.replaceState(null, '', location.pathname + location.search);
        this.around.search(tag);
      };
      return chip;
    }));
    get.href = photo.original ?? photo.screen;
    get.setAttribute('aria-label', photo.original ? 'Download the original' : 'Download this photo');
    get.title = get.getAttribute('aria-label');
    link.title = 'Share this photo';
    said.textContent = [`Photo ${number}${total ? ` of ${total}` : ''}`, photo.caption, time].filter(Boolean).join(', ');
    this.#bounds();
  }

  #bounds() {
    const { newer, older } = this.parts;
    const hadFocus = document.activeElement;
    newer.disabled = !this.#item.previousElementSibling;
    older.disabled = !this.#item.nextElementSibling;
    // A button that can no more be pressed loses the focus, and with it every key.
    if (hadFocus?.disabled) this.box.focus();
  }

  #key(key) {
    const ends = { Home: this.wall.newest, End: this.wall.oldest };
    if (key.altKey || key.ctrlKey || key.metaKey) return;
    if (key.key === 'ArrowLeft') this.turn(-1);
    else if (key.key === 'ArrowRight') this.turn(1);
    else if (ends[key.key]) {
      history.replaceState(history.state, '', `#${ends[key.key].id}`);
      this.show(ends[key.key]);
    } else return;
    key.preventDefault();
  }

  #swipes() {
    this.stage.addEventListener('pointerdown', (down) => {
      const isZoomed = visualViewport?.scale > 1.02;
      this.#drag = down.isPrimary && down.pointerType !== 'mouse' && !isZoomed ? { x: down.clientX, y: down.clientY } : null;
    });
    this.stage.addEventListener('pointermove', (move) => {
      if (!this.#drag) return;
      if (!move.isPrimary) return this.#settle();
      const x = move.clientX - this.#drag.x;
      const y = Math.max(0, move.clientY - this.#drag.y);
      const isSideways = Math.abs(x) > y;
      this.image.style.transform = isSideways ? `translateX(${x}px)` : `translateY(${y}px) scale(${1 - y / 2500})`;
    });
    this.stage.addEventListener('pointerup', (up) => {
      if (!this.#drag || !up.isPrimary) return;
      const x = up.clientX - this.#drag.x;
      const y = up.clientY - this.#drag.y;
      if (Math.abs(x) > 50 && Math.abs(x) > Math.abs(y)) this.turn(x < 0 ? 1 : -1);
      else if (y > 90) this.close();
      else this.#settle();
    });
    this.stage.addEventListener('pointercancel', () => this.#settle());
  }

  #settle() {
    this.#drag = null;
    this.image.style.transform = '';
  }

  #followAddress() {
    const item = this.wall.find(location.hash.slice(1));
    if (!item) this.#shut();
    else if (this.isOpen) this.show(item);
    else this.open(item, true);
  }

  #shut() {
    if (!this.isOpen) return;
    this.box.close();
    document.documentElement.classList.remove('boxed');
    // What is still on its way comes too late.
    this.#turns += 1;
    // Where one has come to, and not where one began.
    this.#item.querySelector('a')?.focus();
    this.#item = null;
    this.image.removeAttribute('src');
  }
}
