// Picking on the wall: a button on each tile, a way to pick by tapping photos, and a bar while something is picked.

import { MOST } from './picks.js';
import { say } from './say.js';
import { make } from './tile.js';

// A mistake can be taken back for so long.
const UNDO = 20000;

const root = document.documentElement;
const number = (count) => count.toLocaleString('en');

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
    const button = (name, text, deed) => {
      const made = make('button', { type: 'button', class: name }, text);
      made.onclick = deed;
      return made;
    };
    this.count = make('p');
    this.parts = {
      done: button('done', 'Done', () => this.turn(false)),
      get: button('main', 'Download', () => this.takeHome(this.picks.entries.map(([id]) => id))),
      mine: button('mine', 'Show my picks', () => this.#turnMine()),
      clear: button('clear', 'Clear', () => this.#clear()),
      undo: button('undo', 'Undo', () => this.#undo()),
    };
    this.bar = make('section', { class: 'picks', 'aria-label': 'My picks', hidden: true }, this.count, ...Object.values(this.parts));
    list.wall.root.before(this.bar);
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
      say(`Not picked any more. ${number(picks.size)} picked`, false);
    } else if (picks.add(photo)) say(`Picked. ${number(picks.size)} picked`, false);
    else say(`${number(MOST)} photos are as many as can be picked. “Download” at the top has all of them`);
  }

  turn(isOn = !this.#isOn) {
    this.#isOn = isOn;
    root.classList.toggle('picking', isOn);
    this.opener?.setAttribute('aria-pressed', isOn);
    this.show();
    say(isOn ? 'Tap photos to pick them' : 'Photos open again', false);
  }

  #mark(item, photo) {
    const about = [photo.caption || 'photo', photo.localTime?.slice(11, 16)].filter(Boolean).join(', ');
    item.append(make('button', { class: 'pick', type: 'button', 'aria-label': `Pick ${about}` }));
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
    this.count.textContent = size ? `${number(size)} picked` : this.#words;
    get.hidden = clear.hidden = !size;
    mine.hidden = !size && !isMine;
    mine.textContent = isMine ? 'Show all photos' : 'Show my picks';
    undo.hidden = !this.#before;
    done.hidden = !this.#isOn;
    this.bar.hidden = !(size || isMine || this.#before || this.#isOn);
    root.classList.toggle('with-picks', !this.bar.hidden);
    if (!hadFocus || (!hadFocus.hidden && !this.bar.hidden)) return;
    const next = this.bar.hidden ? null : Object.values(this.parts).find((part) => !part.hidden);
    (next ?? this.opener)?.focus({ preventScroll: true });
  }

  get #words() {
    if (this.#before) return 'Picks cleared';
    return this.#isOn ? 'Tap photos to pick them' : 'Nothing picked';
  }

  async #turnMine() {
    if (this.list.source) return this.finder.search('');
    try {
      const { sourceOf } = await import('./mine.js');
      await this.finder.showPicks(sourceOf(this.list, this.picks));
    } catch {
      say('No connection. Try again');
    }
  }

  #clear() {
    const before = this.picks.clear();
    this.#before = before;
    this.#wait();
    this.show();
    this.parts.undo.focus();
    say(`${number(before.length)} ${before.length === 1 ? 'pick' : 'picks'} cleared`, false);
  }

  #undo() {
    const before = this.#before ?? [];
    this.picks.restore(before);
    this.parts.clear.focus();
    say(`${number(this.picks.size)} picked`, false);
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
      say('No connection. Try again');
    }
  }
}
