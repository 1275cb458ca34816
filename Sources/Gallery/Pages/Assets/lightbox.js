// One photo before everything else. It opens over the wall with an entry in the history, so that a phone's way back closes
// it; its address names the photo. One goes from photo to photo of the whole list, wherever the wall stands.

import { noConnection, say } from './say.js';
import { number, text } from './text.js';
import { isAlike, make } from './tile.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Lightbox {
  #photo = null;
  #turns = 0;
  // Whether its number was read out.
  #isTold = false;
  #send = () => {};

  // `around`: `name`, `picker`, `search(tag)`, and `shown(box, photo)`.
  constructor(template, list, around) {
    this.list = list;
    this.around = around;
    list.alsoSeen = () => this.#index;
    this.box = template.content.firstElementChild.cloneNode(true);
    document.body.append(this.box);
    // It is there by the time that the finger has left the first photo; if it is not, opening asks again.
    list.wall.root.onpointerdown = () => import('./zoom.js').catch(() => {});
    const part = (name) => this.box.querySelector(name);
    this.image = part('img');
    this.parts = {};
    for (const name of ['place', 'caption', 'tags', 'unseen', 'get', 'pick', 'link', 'newer', 'older']) {
      this.parts[name] = part(`.${name}, #box-${name}`);
    }
    const { link, newer, older, pick } = this.parts;
    part('#box-close').onclick = () => this.close();
    newer.onclick = () => this.turn(-1);
    older.onclick = () => this.turn(1);
    link.onclick = () => this.#send(around.name, `${location.origin}${list.path}/p/${this.#photo.id}`);
    // A page of before has none.
    if (pick) pick.onclick = () => this.#pick();
    around.picker.changed = () => this.#showPick();
    this.box.addEventListener('cancel', (cancel) => {
      cancel.preventDefault();
      this.close();
    });
    this.box.onkeydown = (key) => this.#key(key);
    addEventListener('popstate', () => this.#followAddress());
  }

  get isOpen() { return this.box.open; }

  // Which of the list it is, whatever has come or gone above it; below zero while that is not known.
  get #index() { return this.#photo ? this.list.timeline.indexOf(this.#photo.id) : -1; }

  // What makes the picture larger, and sends it on, is loaded with the first photo that is opened. Of two that are asked for
  // meanwhile, the last one opens.
  async open(photo, isFromAddress = false) {
    const turn = (this.#turns += 1);
    const [{ Zoom }, { send }] = await Promise.all([import('./zoom.js'), import('./share.js')]);
    this.#send = send;
    if (turn !== this.#turns) return;
    this.zoom ??= new Zoom(this.box.querySelector('.stage'), this.image, { turn: (step) => this.turn(step), close: () => this.close() });
    if (!isFromAddress) history.pushState({ box: true }, '', `#${photo.id}`);
    if (!this.isOpen) this.box.showModal();
    this.show(photo);
    this.box.focus();
  }

  close() {
    if (history.state?.box) history.back();
    else this.#end();
  }

  // A photo was taken away. Where it is the one on show, what stood beside it is seen: `place` is where it was in the list, or
  // below zero.
  async leave(id, place) {
    if (this.#photo?.id !== id || !this.isOpen) return this.move();
    const turn = this.#turns;
    const other = place < 0 ? null : await this.#beside(place) ?? await this.#beside(place - 1);
    if (turn !== this.#turns) return;
    if (other) {
      history.replaceState(history.state, '', `#${other.id}`);
      return this.show(other);
    }
    this.close();
    // The way back takes a moment.
    this.#shut();
    say(text('wall.photoGone'));
  }

  // Nothing where there is none, or it cannot be had now.
  async #beside(index) {
    try {
      return await this.list.photo(index);
    } catch {
      noConnection();
      return null;
    }
  }

  async turn(step) {
    const turn = this.#turns;
    try {
      if (this.#index < 0) await this.list.locate(this.#photo);
    } catch {
      noConnection();
    }
    if (turn !== this.#turns) return;
    if (this.#index >= 0) await this.goTo(this.#index + step, step);
    else this.zoom.reset();
  }

  async goTo(index, step) {
    const turn = this.#turns;
    const other = await this.#beside(index);
    if (turn !== this.#turns || !this.isOpen) return;
    if (!other || other.id === this.#photo.id) return this.zoom.reset();
    history.replaceState(history.state, '', `#${other.id}`);
    this.show(other);
    if (still.matches) return;
    const from = `translateX(${step > 0 ? 12 : -12}%)`;
    this.image.animate([{ transform: from, opacity: 0.3 }, {}], { duration: 180, easing: 'ease-out' });
  }

  async show(photo) {
    const turn = (this.#turns += 1);
    this.#photo = photo;
    this.zoom.reset();
    this.#words(photo);
    // What the wall shows is here already; it stands in until the large one is.
    this.image.src = document.getElementById(photo.id)?.querySelector('img')?.currentSrc || photo.thumbUrl;
    this.image.dataset.photo = photo.id;
    const large = make('img', { src: photo.screenUrl });
    this.#find();
    const isWhole = await large.decode().then(() => true, () => false);
    if (turn === this.#turns && isWhole) this.image.src = photo.screenUrl;
  }

  // The host has changed what is said of the photo on show. The picture stays as it is, however large, and so does the focus.
  change(photo) {
    if (photo.id !== this.#photo?.id || isAlike(photo, this.#photo)) return;
    const chips = this.parts.tags.children;
    const at = [...chips].indexOf(document.activeElement);
    this.#photo = photo;
    this.#words(photo);
    this.#number();
    if (at >= 0) (chips[at] ?? this.box).focus();
  }

  // Where it stands may have to be asked; what is beside it is loaded ahead, and what is some further on is asked for.
  async #find() {
    const turn = this.#turns;
    try {
      const index = await this.list.locate(this.#photo);
      if (turn !== this.#turns) return;
      this.#number();
      if (index < 0) return;
      for (const step of [1, -1]) {
        const other = await this.list.photo(this.#index + step);
        if (turn !== this.#turns) return;
        if (other) make('img', { src: other.screenUrl });
      }
      await Promise.all([this.list.photo(this.#index + 8), this.list.photo(this.#index - 8)]);
      // More may be known now of what follows.
      if (turn === this.#turns) this.#bounds();
    } catch {
      // It is shown all the same; a turn asks once more, and says so.
    }
  }

  // Other photos have come or gone.
  async move() {
    if (this.isOpen && this.#index >= 0) await this.#find();
  }

  // The list is another by now. The photo is found in it again, or the page did not hear that it was changed or taken away.
  async renew() {
    if (!this.isOpen) return;
    const turn = this.#turns;
    await this.#find();
    if (turn !== this.#turns) return;
    const { id } = this.#photo;
    // A search need not hold it; without an answer it stays.
    const now = await this.list.fetch(id).catch(() => this.#photo);
    if (turn !== this.#turns) return;
    if (now) this.change(now);
    else this.leave(id, -1);
  }

  // Which it is of how many: this changes while one looks at it, and is read out once.
  #number() {
    const { place, unseen } = this.parts;
    const { total } = this.list;
    const at = Math.max(0, this.#index + 1);
    const time = this.#photo.localTime?.slice(11, 16);
    const which = total ? `${number(at)} / ${number(total)}` : number(at);
    place.textContent = [at && which, time].filter(Boolean).join(' · ');
    this.#bounds();
    if (this.#isTold) return;
    this.#isTold = at > 0;
    unseen.textContent = [at && text(total ? 'wall.photoOf' : 'wall.photoAt', { number: at, total }), this.#photo.caption, time].filter(Boolean).join(', ');
  }

  #words(photo) {
    const { caption, tags, get, link } = this.parts;
    this.#isTold = false;
    caption.textContent = photo.caption;
    this.image.alt = photo.caption || text('wall.photo');
    tags.replaceChildren(...(photo.tags ?? []).map((tag) => {
      const chip = make('a', { href: `?q=${encodeURIComponent(tag)}`, dir: 'auto' }, tag);
      chip.onclick = (click) => {
        click.preventDefault();
        this.#end();
        this.around.search(tag);
      };
      return chip;
    }));
    // Where it is counted, and sent on to the bytes.
    get.href = `${this.list.path}/photos/${photo.id}/download`;
    get.download = (photo.originalUrl && photo.filename) || '';
    get.title = text(photo.originalUrl ? 'wall.getOriginal' : 'wall.getPhoto');
    get.setAttribute('aria-label', get.title);
    link.title = text('wall.sharePhoto');
    this.#showPick();
    this.#number();
    if (photo.guestName || this.credit) import('./credit.js').then((it) => it.credit(this, photo), () => {});
    this.around.shown(this.box, photo);
  }

  #pick() { if (this.#photo) this.around.picker.toggle(this.#photo); }

  #showPick() {
    this.parts.pick?.setAttribute('aria-pressed', this.around.picker.has(this.#photo?.id));
  }

  #bounds() {
    const { newer, older } = this.parts;
    const { count, next } = this.list.timeline;
    newer.disabled = this.#index < 1;
    older.disabled = this.#index < 0 || (this.#index + 1 >= count && !next);
    // A button that can no more be pressed loses the focus, and with it every key.
    if (document.activeElement?.disabled) this.box.focus();
  }

  #key(key) {
    if (key.altKey || key.ctrlKey || key.metaKey) return;
    if (this.zoom.key(key.key)) return key.preventDefault();
    const pick = () => key.repeat || this.#pick();
    const deed = {
      ArrowLeft: () => this.turn(-1), ArrowRight: () => this.turn(1), p: pick, P: pick, Home: () => this.goTo(0, -1), End: () => this.goTo(this.list.timeline.count - 1, 1),
    }[key.key];
    if (!deed) return;
    key.preventDefault();
    deed();
  }

  async #followAddress() {
    const id = location.hash.slice(1);
    if (!/^[0-9a-f-]{36}$/.test(id)) return this.#shut();
    const turn = (this.#turns += 1);
    const photo = await this.list.fetch(id).catch(() => null);
    if (turn !== this.#turns) return;
    if (!photo) this.#shut();
    else this.open(photo, true).catch(noConnection);
  }

  #end() {
    history.replaceState(null, '', location.pathname + location.search);
    this.#shut();
  }

  #shut() {
    if (!this.isOpen) return;
    this.box.close();
    // What is still on its way comes too late.
    this.#turns += 1;
    // Where one has come to, and not where one began.
    const index = this.#index;
    this.#photo = null;
    if (index >= 0) this.list.wall.reveal(index, true);
    this.image.removeAttribute('src');
  }
}
