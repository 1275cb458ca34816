// What guests liked and wrote: the photos with most hearts first, and their comments, which a host can remove.

import { api } from './api.js';
import { attempt, check, closeButton, confirmed, counted, day, deedButton, dialog, element, notify, returnFocus } from './markup.js';
import { seldom } from './seldom.js';

const perPage = 24;
const mostAtOnce = 200;
// What many guests do at once is read once.
const pause = 3000;

const called = (photo) => photo.caption || photo.filename || 'a photo without a name';

// The switches in an event's form. New events take both.
export const reactionFields = (event) => [
  check('Guests can give photos hearts', { name: 'allowsHearts', checked: event.allowsHearts ?? true }),
  check('Guests can write comments', { name: 'allowsComments', checked: event.allowsComments ?? true }),
];

export const reactionWish = (values) => ({ allowsHearts: 'allowsHearts' in values, allowsComments: 'allowsComments' in values });

export class Liked {
  #id;
  #list = element('ul', { class: 'liked' });
  #more = deedButton('More of them', () => this.#loadMore(), { id: 'more-liked', hidden: true });
  #next = null;
  // Guests have given hearts or written something.
  hear = seldom(pause, () => this.load());

  constructor(id) {
    this.#id = id;
    this.section = element('section', { class: 'box', hidden: true, 'aria-labelledby': 'liked-title' },
      element('h2', { id: 'liked-title' }, 'What guests liked'), this.#list, element('p', { class: 'more' }, this.#more));
  }

  #ask(limit, cursor) {
    const query = new URLSearchParams({ limit, ...(cursor ? { cursor } : {}) });
    return api.get(`/events/${this.#id}/reactions?${query}`);
  }

  // As many as were shown.
  async load() {
    const shown = this.#list.childElementCount;
    const { photos, next } = await this.#ask(Math.min(mostAtOnce, Math.max(perPage, shown)), null);
    const focused = document.activeElement?.closest('[data-liked]')?.dataset.liked;
    this.#list.replaceChildren(...photos.map((liked) => this.#item(liked)));
    if (focused) this.#list.querySelector(`[data-liked="${focused}"] button`)?.focus();
    this.#turnTo(next);
  }

  async #loadMore() {
    const { photos, next } = await this.#ask(perPage, this.#next);
    const known = new Set([...this.#list.children].map((item) => item.dataset.liked));
    const fresh = photos.filter(({ photo }) => !known.has(photo.id)).map((liked) => this.#item(liked));
    this.#list.append(...fresh);
    this.#turnTo(next);
    // What was pressed is hidden now, and the focus goes on with what came.
    if (this.#more.hidden) this.#focusOn(fresh);
  }

  // Not all have something to press.
  #focusOn(items) {
    const item = items[0] ?? this.#list.lastElementChild;
    if (!item) return;
    const button = item.querySelector('button');
    if (!button) item.tabIndex = -1;
    (button ?? item).focus();
  }

  #turnTo(next) {
    this.#next = next;
    this.#more.hidden = !next;
    this.section.hidden = !this.#list.childElementCount;
  }

  #item({ photo, hearts, comments }) {
    const counts = [hearts && counted(hearts, 'heart', 'hearts'), comments && counted(comments, 'comment', 'comments')].filter(Boolean).join(' · ');
    return element('li', { 'data-liked': photo.id },
      element('img', { src: `/images/${photo.thumbKey}`, alt: called(photo), loading: 'lazy' }),
      element('p', {}, counts, photo.hidden ? ' · hidden' : ''),
      comments ? deedButton('Comments', () => this.#showComments(photo), { 'aria-label': `Comments on ${called(photo)}` }) : null);
  }

  // Comments

  async #showComments(photo) {
    const list = element('ul', { class: 'failures' });
    const load = async () => {
      const { comments } = await api.get(`/events/${this.#id}/comments?photo=${photo.id}&limit=${mostAtOnce}`);
      list.replaceChildren(...comments.map((comment) => this.#comment(comment, list, load)));
      if (!comments.length) list.append(element('li', {}, 'None any more.'));
    };
    await load();
    const panel = dialog('Comments', element('p', { class: 'hint', dir: 'auto' }, called(photo)), list, element('div', { class: 'deeds' }, closeButton('Close')));
    panel.querySelector('.deeds button:last-child').focus();
    returnFocus(panel, () => this.#list.querySelector(`[data-liked="${photo.id}"] button`));
  }

  #comment({ id, name, text, createdAt }, list, load) {
    const remove = () => confirmed('Remove the comment?', 'It is gone for you and for all guests. Nothing brings it back.', 'Remove it', async () => {
      await api.delete(`/events/${this.#id}/comments/${id}`);
      notify('The comment is removed.');
      await attempt(load);
      await attempt(() => this.load());
      return list.querySelector('.remove') ?? list.closest('dialog').querySelector('.deeds button');
    });
    return element('li', { 'data-comment': id },
      element('div', {}, element('strong', { dir: 'auto' }, name), element('p', { class: 'hint' }, day(createdAt)),
        element('p', { class: 'said', dir: 'auto' }, text)),
      element('button', { type: 'button', class: 'remove', 'aria-label': `Remove what ${name} wrote`, click: remove }, 'Remove'));
  }
}
