// What the operator says of a photo, for the gallery: made here at once, and sent when the gallery is there.

import { element } from './element.js';
import { look, tell } from './door.js';
import { counted } from './words.js';

const frame = document.getElementById('photo-marks');
const dialog = document.getElementById('photo');

export class Marks {
  #photo;
  #known;
  #timer;

  // `isSure` asks once more.
  constructor(mayAct, notify, isSure) {
    this.mayAct = mayAct;
    this.notify = notify;
    this.isSure = isSure;
    dialog.addEventListener('keydown', (event) => this.#key(event));
  }

  show(photo) {
    this.#photo = photo;
    this.#known = null;
    frame.replaceChildren();
    this.load();
  }

  close() {
    this.#photo = null;
    clearTimeout(this.#timer);
  }

  async load() {
    const photo = this.#photo;
    clearTimeout(this.#timer);
    if (!photo) return;
    try {
      this.#take(photo, await look(`/api/photos/${photo.id}/marks`));
    } catch (refusal) {
      if (!this.#known && this.#photo === photo) frame.replaceChildren(element('p', { class: 'problem' }, refusal.message));
    }
    // Whether the gallery has it by now is told by no event.
    if (this.#photo === photo && this.#waits()) this.#timer = setTimeout(() => this.load(), 2000);
  }

  #waits() {
    return this.#known?.galleries.some(({ unsent }) => unsent > 0);
  }

  #take(photo, known) {
    if (this.#photo !== photo || JSON.stringify(known) === JSON.stringify(this.#known)) return;
    this.#known = known;
    // What is being written is not torn away.
    const written = [...frame.querySelectorAll('input, textarea')].find((field) => field === document.activeElement && field.value !== field.defaultValue);
    if (written) {
      frame.querySelector('.sent')?.replaceWith(this.#sent());
      return;
    }
    const focused = document.activeElement?.dataset?.mark;
    this.#draw();
    if (focused) frame.querySelector(`[data-mark="${focused}"]`)?.focus();
  }

  #draw() {
    const { galleries, albums, conflicts } = this.#known;
    if (!galleries.length) {
      frame.replaceChildren(element('p', { class: 'soft' }, 'This event goes to no gallery, so there is nothing to rate, caption or hide.'));
      return;
    }
    // Where there are several, what is said goes to each of them.
    const { rating = 0, caption = '', tags = [], hidden = false, albums: own = [] } = galleries[0];
    const may = this.mayAct();
    frame.replaceChildren(...[
      element('h3', {}, 'For the gallery'),
      element('div', { class: 'stars', role: 'group', 'aria-label': 'Rating' },
        ...[1, 2, 3, 4, 5].map((stars) => element('button', {
          type: 'button', disabled: !may, 'data-mark': `star-${stars}`, 'aria-pressed': `${stars <= rating}`,
          'aria-label': `${counted(stars, 'star', 'stars')}${stars === rating ? ', the rating; press to take it away' : ''}`,
          click: () => this.#say({ rating: stars === rating ? 0 : stars }),
        }, stars <= rating ? '★' : '☆')),
        hidden && element('span', { class: 'hidden-sign' }, 'Hidden from guests')),
      this.#field('caption', 'Caption', caption, may, (text) => this.#say({ caption: text })),
      this.#list('Tags', 'tag', tags, [], 50, may),
      this.#list('Albums', 'album', own, albums, 200, may),
      may && element('div', { class: 'deeds' }, element('button', {
        type: 'button', 'data-mark': 'hide', click: () => this.#hide(!hidden),
      }, hidden ? 'Show to guests' : 'Hide from guests')),
      this.#sent(),
      conflicts.length > 0 && element('ul', { class: 'conflicts', 'aria-label': 'What was not taken' },
        ...conflicts.map((conflict) => this.#conflict(conflict, may))),
    ].filter(Boolean));
  }

  #field(mark, label, text, may, save) {
    if (!may) return text ? element('p', { dir: 'auto' }, text) : null;
    const field = element('textarea', { id: `mark-${mark}`, 'data-mark': mark, rows: '2', maxlength: '2000', dir: 'auto' }, text);
    const form = element('form', { class: 'mark', submit: (event) => { event.preventDefault(); field.blur(); save(field.value); } },
      element('label', { for: `mark-${mark}` }, label), field, element('button', {}, 'Save'));
    return form;
  }

  #list(title, word, members, offers, longest, may) {
    if (!may && !members.length) return null;
    const field = element('input', {
      id: `mark-${word}`, 'data-mark': word, maxlength: `${longest}`, autocomplete: 'off', enterkeyhint: 'done', dir: 'auto',
      list: offers.length ? `offers-${word}` : null,
    });
    return element('form', { class: 'mark', submit: (event) => {
      event.preventDefault();
      const text = field.value.trim();
      field.value = '';
      if (text) this.#say({ [word]: text });
    } },
    may ? element('label', { for: `mark-${word}` }, title) : element('p', {}, title),
    members.length > 0 && element('ul', { class: 'members' }, ...members.map((member) => element('li', { dir: 'auto' }, member,
      may && element('button', { type: 'button', 'aria-label': `Take away ${member}`, click: () => this.#say({ [`un${word}`]: member }) }, '✕')))),
    may && element('div', { class: 'line' }, field, element('button', {}, 'Add')),
    offers.length > 0 && element('datalist', { id: `offers-${word}` }, ...offers.map((offer) => element('option', { value: offer }))));
  }

  #sent() {
    const unsent = Math.max(...this.#known.galleries.map((gallery) => gallery.unsent ?? 0));
    return element('p', { class: 'soft sent', role: 'status' },
      unsent > 0 ? `${counted(unsent, 'change is', 'changes are')} kept here and not yet at the gallery.` : '');
  }

  #conflict({ edit, text }, may) {
    const settle = (again, done) => this.#do(() => tell('/api/edits', { edit, again }), done);
    return element('li', {}, element('p', { class: 'problem', dir: 'auto' }, `Not taken: ${text}`),
      may && element('div', { class: 'deeds' },
        element('button', { type: 'button', click: () => settle(true, 'It is said again.') }, 'Say it again'),
        element('button', { type: 'button', click: () => settle(false, 'It is forgotten.') }, 'Leave it')));
  }

  async #hide(hidden) {
    if (hidden && !(await this.isSure('Hide this photo?', `Guests will not see ${this.#photo?.name} any more, until it is shown again.`, 'Hide it'))) return;
    this.#say({ hidden, confirmed: true });
  }

  // 0 to 5 rate, as in every program that photographers cull with.
  #key(event) {
    const isWriting = event.target.matches('input, textarea');
    if (isWriting || event.ctrlKey || event.metaKey || event.altKey || !/^[0-5]$/.test(event.key)) return;
    if (!this.mayAct() || !this.#known?.galleries.length) return;
    this.#say({ rating: Number(event.key) });
  }

  #say(mark) {
    const photo = this.#photo;
    return this.#do(async () => this.#take(photo, await tell(`/api/photos/${photo.id}/marks`, mark)));
  }

  async #do(deed, done) {
    try {
      await deed();
      if (done) this.notify(done);
      this.load();
    } catch (refusal) {
      this.notify(refusal.message, true);
    }
  }
}
