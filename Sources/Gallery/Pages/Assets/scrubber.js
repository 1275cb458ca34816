// At the edge of the wall: which hour is seen, and the way to any other.

import { FEWEST_SCREENS, lastUpTo } from './layout.js';
import { text } from './text.js';
import { make } from './tile.js';
import { dayOf } from './tiles.js';

const AWAY = 1500;

export class Scrubber {
  #timer;
  #isDragged = false;
  #section = null;

  constructor(main, wall) {
    this.wall = wall;
    // What stands over the wall's upper edge while one scrolls.
    this.bar = document.querySelector('.tools');
    this.word = make('span', { class: 'word', 'aria-hidden': 'true' });
    this.handle = make('span', { class: 'handle', 'aria-hidden': 'true' });
    this.track = make('div', {
      class: 'scrubber', role: 'slider', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': text('wall.hour'), 'aria-valuemin': 1, hidden: true,
    }, this.handle, this.word);
    main.append(this.track);
    this.handle.addEventListener('pointerdown', (down) => this.#hold(down));
    this.track.addEventListener('pointerdown', (down) => down.target === this.track && this.#hold(down));
    this.track.addEventListener('pointermove', (move) => this.#isDragged && this.#drag(move));
    for (const end of ['pointerup', 'pointercancel']) this.track.addEventListener(end, () => this.#letGo());
    this.track.addEventListener('keydown', (key) => this.#key(key));
    wall.onRender = (top) => this.#show(top);
    addEventListener('scroll', () => this.#appear(), { passive: true });
    this.#show(Math.max(0, wall.top));
  }

  get #sections() { return this.wall.timeline.sections; }
  // How far one can scroll on the wall.
  get #length() { return Math.max(1, this.wall.layout.height - innerHeight); }
  get #room() { return this.track.clientHeight - this.handle.offsetHeight; }

  #at(top) { return lastUpTo(this.#sections.map((section) => section.top), top + this.bar.offsetHeight + 1); }

  #show(top) {
    const { height } = this.wall.layout;
    const isNeeded = height > FEWEST_SCREENS * innerHeight && this.#sections.length > 0;
    if (this.track.hidden === isNeeded) this.track.hidden = !isNeeded;
    if (!isNeeded) return;
    this.handle.style.transform = this.word.style.transform = `translateY(${Math.min(1, top / this.#length) * this.#room}px)`;
    const place = this.#at(Math.min(top, height));
    const section = this.#sections[place];
    this.track.setAttribute('aria-valuemax', this.#sections.length);
    this.track.setAttribute('aria-valuenow', place + 1);
    if (section === this.#section) return;
    this.#section = section;
    this.word.textContent = section.isNew ? text('wall.justIn') : section.hour?.slice(11) ?? text('wall.top');
    const day = section.hour && dayOf(section.hour);
    if (day) this.word.append(' ', make('bdi', {}, dayOf(section.hour, true)));
    this.track.setAttribute('aria-valuetext', section.hour ? `${section.hour.slice(11)}, ${day}` : this.word.textContent);
  }

  // It is there while one scrolls, and some time after that.
  #appear() {
    this.track.classList.add('seen');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#isDragged || this.track.classList.remove('seen'), AWAY);
  }

  #hold(down) {
    if (down.button > 0) return;
    down.preventDefault();
    this.#isDragged = true;
    this.track.classList.add('held');
    this.track.setPointerCapture(down.pointerId);
    const { top, height } = this.handle.getBoundingClientRect();
    const isOnHandle = down.clientY >= top && down.clientY <= top + height;
    this.grip = isOnHandle ? down.clientY - top : height / 2;
    this.#drag(down);
    this.track.focus({ preventScroll: true });
  }

  #drag(move) {
    const y = move.clientY - this.track.getBoundingClientRect().top - this.grip;
    this.wall.scrollTo(Math.min(1, Math.max(0, y / this.#room)) * this.#length);
  }

  #letGo() {
    this.#isDragged = false;
    this.track.classList.remove('held');
    this.#appear();
  }

  #key(key) {
    if (key.altKey || key.ctrlKey || key.metaKey) return;
    const now = this.#at(Math.max(0, this.wall.top));
    const steps = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, PageUp: -5, PageDown: 5, Home: -Infinity, End: Infinity };
    if (!(key.key in steps)) return;
    key.preventDefault();
    const to = Math.min(this.#sections.length - 1, Math.max(0, now + steps[key.key]));
    this.wall.scrollTo(this.#sections[to].top - this.bar.offsetHeight);
  }
}
