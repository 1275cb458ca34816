// Picking on the wall: a button on each tile, a way to pick by tapping photos, and a bar while something is picked.

import { MOST } from './picks.js';
import { noConnection, say } from './say.js';
import { text } from './text.js';
import { make } from './tile.js';

// A mistake can be taken back for so long.
const UNDO = 20000;

const root = document.documentElement;

export class Marks {
  // Whether a tap on a photo picks it.
  #isOn = false;
  // What was picked before all was given up.
  #before = null;
  #timer;

  // `changed()` is told when others are picked.
  constructor(list, finder, picks, changed) {
    Object.assign(this, { list, finder, picks, changed });
    this.opener = document.getElementById('open-picks');
    const button = (name, label, deed) => {
      const made = make('button', { type: 'button', class: name }, label);
      made.onclick = deed;
      return made;
    };
    this.count = make('p');
    this.parts = {
      done: button('done', text('picks.done'), () => this.turn(false)),
      get: button('main', text('picks.download'), () => this.takeHome(this.picks.entries.map(([id]) => id))),
      mine: button('mine', text('picks.showMine'), () => this.#turnMine()),
      clear: button('clear', text('picks.clear'), () => this.#clear()),
      undo: button('undo', text('picks.undo'), () => this.#undo()),
    };
    this.bar = make('section', { class: 'picks', 'aria-label': text('picks.mine'), hidden: true }, this.count, ...Object.values(this.parts));
    list.wall.root.before(this.bar);
    // The page leaves room for it, however many lines its buttons take.
    if (window.ResizeObserver) new ResizeObserver(() => root.style.setProperty('--picks', `${this.bar.offsetHeight}px`)).observe(this.bar);
    list.wall.root.addEventListener('click', (click) => this.#press(click), true);
    list.wall.root.addEventListener('keydown', (key) => this.#key(key));
    addEventListener('keydown', (key) => {
      if (this.#isOn && key.key === 'Escape' && !document.querySelector('dialog[open]')) this.turn(false);
    });
    picks.changed = () => this.#renew();
    list.wall.tiles.adorn((item, photo) => this.#mark(item, photo));
    this.show();
  }

  // Picking

  toggle(photo) {
    const { picks } = this;
    if (picks.has(photo.id)) {
      picks.remove(photo.id);
      say(text('picks.unpicked', { count: picks.size }), false);
    } else if (picks.add(photo)) say(text('picks.justPicked', { count: picks.size }), false);
    else say(text('picks.most', { count: MOST }));
  }

  turn(isOn = !this.#isOn) {
    this.#isOn = isOn;
    root.classList.toggle('picking', isOn);
    this.opener?.setAttribute('aria-pressed', isOn);
    this.show();
    say(text(isOn ? 'picks.tap' : 'picks.opening'), false);
  }

  #mark(item, photo) {
    const photoAt = [photo.caption || text('picks.aPhoto'), photo.localTime?.slice(11, 16)].filter(Boolean).join(', ');
    item.append(make('button', { class: 'pick', type: 'button', 'aria-label': text('picks.pick', { photo: photoAt }) }));
    this.#show(item);
  }

  #show(item) {
    const isPicked = this.picks.has(item.id);
    item.classList.toggle('picked', isPicked);
    item.querySelector('.pick').setAttribute('aria-pressed', isPicked);
  }

  #press(click) {
    const pressed = click.target.closest('.pick, li > a:first-child');
    const item = pressed?.closest('li');
    const isButton = pressed?.matches('.pick');
    if (!item || (!isButton && (!this.#isOn || click.ctrlKey || click.metaKey || click.shiftKey || click.button))) return;
    click.preventDefault();
    click.stopPropagation();
    this.#toggle(item);
  }

  #key(key) {
    if (key.key.toLowerCase() !== 'p' || key.repeat || key.altKey || key.ctrlKey || key.metaKey) return;
    const item = key.target.closest('li');
    if (item) this.#toggle(item);
  }

  #toggle(item) {
    const photo = this.list.timeline.find(item.id);
    if (photo) this.toggle(photo);
  }

  // Here or in another tab.
  #renew() {
    for (const button of this.list.wall.root.querySelectorAll('.pick')) this.#show(button.parentElement);
    if (this.picks.size) this.#forget();
    this.show();
    this.changed();
  }

  // The bar

  show() {
    const { get, mine, clear, undo, done } = this.parts;
    const { size } = this.picks;
    const isMine = Boolean(this.list.source);
    const hadFocus = this.bar.contains(document.activeElement) ? document.activeElement : null;
    this.count.textContent = size ? text('picks.picked', { count: size }) : this.#words;
    get.hidden = clear.hidden = !size;
    mine.hidden = !size && !isMine;
    mine.textContent = text(isMine ? 'wall.showAll' : 'picks.showMine');
    undo.hidden = !this.#before;
    done.hidden = !this.#isOn;
    this.bar.hidden = !(size || isMine || this.#before || this.#isOn);
    root.classList.toggle('with-picks', !this.bar.hidden);
    if (!hadFocus || (!hadFocus.hidden && !this.bar.hidden)) return;
    const next = this.bar.hidden ? null : Object.values(this.parts).find((part) => !part.hidden);
    (next ?? this.opener)?.focus({ preventScroll: true });
  }

  get #words() {
    if (this.#before) return text('picks.allCleared');
    return text(this.#isOn ? 'picks.tap' : 'picks.nothing');
  }

  async #turnMine() {
    if (this.list.source) return this.finder.search('');
    try {
      const { sourceOf } = await import('./mine.js');
      await this.finder.showPicks(sourceOf(this.list, this.picks));
    } catch {
      noConnection();
    }
  }

  #clear() {
    const before = this.picks.clear();
    this.#before = before;
    this.#wait();
    this.show();
    this.parts.undo.focus();
    say(text('picks.cleared', { count: before.length }), false);
  }

  #undo() {
    const before = this.#before ?? [];
    this.picks.restore(before);
    this.parts.clear.focus();
    say(text('picks.picked', { count: this.picks.size }), false);
  }

  // Who is about to press it is waited for.
  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.bar.matches(':hover, :focus-within')) return this.#wait();
      this.#forget();
      this.show();
    }, UNDO);
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#before = null;
  }

  // Everything, where no ids are given.
  async takeHome(ids) {
    try {
      const { takeHome } = await import('./takehome.js');
      takeHome(this.list, this.picks, ids);
    } catch {
      noConnection();
    }
  }
}
