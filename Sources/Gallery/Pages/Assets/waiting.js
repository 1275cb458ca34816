// What guests have brought, for the host to decide on: how many photos wait, each of them, and all of them at once.

import { api } from './api.js';
import { badge, large } from './filmed.js';
import { attempt, check, closeButton, confirmed, counted, deedButton, dialog, element, field, notify } from './markup.js';

const perPage = 48;
// Of one request.
const mostAtOnce = 200;
// In milliseconds: what has come just now was not looked at yet.
const aLook = 2000;

const called = ({ filename, guestName, kind }) => [filename ?? (kind === 'video' ? 'a video' : 'a photo'), guestName && `by ${guestName}`].filter(Boolean).join(' ');

// The switches in an event's form. New events take none, and those that take some ask their host.
export const guestUploadFields = (event) => [
  check('Guests can add their own photos and videos', { name: 'allowsGuestUploads', checked: event.allowsGuestUploads ?? false }),
  check('Ask me before guests see what guests add', { name: 'guestUploadsModerated', checked: event.guestUploadsModerated ?? true }),
  field('Photos and videos that guests can add in all', {
    name: 'guestUploadCredits', type: 'number', min: 0, max: 1000000, step: 1, inputmode: 'numeric', text: event.guestUploadCredits?.toString() ?? '',
  }, 'Each is one of your credits. Empty for 200.'),
];

export const guestUploadWish = (values) => ({
  allowsGuestUploads: 'allowsGuestUploads' in values, guestUploadsModerated: 'guestUploadsModerated' in values,
  guestUploadCredits: values.guestUploadCredits === '' ? null : Number(values.guestUploadCredits),
});

// How far guests have come, where they may add any or have.
export function guestUploadWords({ allowsGuestUploads, guestUploadLimit, guestCreditsSpent }) {
  if (!allowsGuestUploads && !guestCreditsSpent) return '';
  const words = `Guests have added ${guestCreditsSpent.toLocaleString('en')} of ${counted(guestUploadLimit, 'photo', 'photos')}.`;
  return allowsGuestUploads && guestCreditsSpent >= guestUploadLimit ? `${words} They can add no more: allow more by Edit.` : words;
}

export class Waiting {
  #id;
  #items = new Map();
  // When each came onto the page.
  #since = new Map();
  #count = 0;
  #question = 0;
  #title = element('h2', { id: 'waiting-title' }, 'Waiting for you');
  #list = element('ul', { class: 'liked waiting' });
  #all = deedButton('Show all of these to guests', () => this.#approveAll(), { id: 'approve-all', class: 'main' });
  #none = element('button', { type: 'button', id: 'reject-all', click: () => this.#reject([...this.#items.keys()]) }, 'Delete all of these');

  constructor(id) {
    this.#id = id;
    this.section = element('section', { class: 'box', hidden: true, 'aria-labelledby': 'waiting-title' }, this.#title,
      element('p', { class: 'hint' }, 'Guests have added these. Other guests see one once you show it.'),
      element('div', { class: 'deeds' }, this.#all, this.#none), this.#list);
  }

  async load() {
    const mine = (this.#question += 1);
    const { photos } = await api.get(`/events/${this.#id}/photos?waiting=true&limit=${perPage}`);
    if (mine !== this.#question) return;
    const now = new Set(photos.map(({ id }) => id));
    for (const id of [...this.#items.keys()]) if (!now.has(id)) this.#drop(id);
    for (const photo of photos) this.#place(photo);
    this.#show();
  }

  // How many there are, as the server says.
  expect(count) {
    this.#count = count;
    this.#show();
    // Those beyond the first ones come when there is room for them.
    if (this.#items.size < Math.min(count, perPage / 2)) attempt(() => this.load());
  }

  // A photo has come, or has changed.
  hear(photo) {
    if (photo.pending && this.#items.size < perPage) this.#place(photo);
    else if (!photo.pending) this.remove(photo.id);
    this.#show();
  }

  remove(id) {
    this.#drop(id);
    this.#show();
  }

  #show() {
    const count = Math.max(this.#count, this.#items.size);
    this.#title.textContent = count ? `Waiting for you: ${counted(count, 'photo', 'photos')}` : 'Waiting for you';
    this.section.hidden = !this.#items.size;
  }

  #place(photo) {
    if (this.#items.has(photo.id)) return;
    const name = called(photo);
    const item = element('li', { 'data-waiting': photo.id },
      element('a', { href: `/images/${photo.streamKey ?? photo.screenKey}`, target: '_blank', rel: 'noopener', click: (click) => this.#play(photo, click) },
        element('img', { src: `/images/${photo.thumbKey}`, alt: name, loading: 'lazy' }), badge(photo)),
      element('p', { dir: 'auto' }, photo.guestName ? `by ${photo.guestName}` : 'by a guest'),
      deedButton('Show', () => this.#approve([photo.id]), { class: 'approve', 'aria-label': `Show ${name} to guests` }),
      element('button', { type: 'button', class: 'reject', 'aria-label': `Delete ${name}`, click: () => this.#reject([photo.id]) }, 'Delete'));
    this.#items.set(photo.id, item);
    this.#since.set(photo.id, performance.now());
    this.#list.append(item);
  }

  // What is to be decided on is the video, and not the picture that stands for it.
  #play(photo, click) {
    if (photo.kind !== 'video') return;
    click.preventDefault();
    const panel = dialog(photo.guestName ? `Video by ${photo.guestName}` : 'Video by a guest',
      large(photo, called(photo)), element('div', { class: 'deeds' }, closeButton('Close')));
    panel.classList.add('wide');
  }

  #drop(id) {
    const item = this.#items.get(id);
    if (!item) return;
    this.#items.delete(id);
    this.#since.delete(id);
    const next = item.nextElementSibling ?? item.previousElementSibling;
    const hadFocus = item.contains(document.activeElement);
    item.remove();
    // What was pressed goes with its photo, and the focus goes on to the next one.
    if (hadFocus) (next?.querySelector('button') ?? document.getElementById('edit-event'))?.focus();
  }

  // The server says the same in a moment.
  #decided(ids) {
    this.#count = Math.max(0, this.#count - ids.length);
    ids.forEach((id) => this.#drop(id));
  }

  // One that slid in while the finger was on its way is not meant.
  async #approveAll() {
    const ids = [...this.#items.keys()].filter((id) => performance.now() - this.#since.get(id) >= aLook);
    if (ids.length) return this.#approve(ids);
    return notify('These photos have come just now. Look at them first.');
  }

  // Where what had the focus is gone: to what can be decided next, or else to what follows.
  #focus() {
    if (document.activeElement && document.activeElement !== document.body) return;
    this.#next?.focus();
  }

  get #next() { return this.#list.querySelector('button') ?? document.getElementById('edit-event'); }

  async #approve(ids) {
    for (let start = 0; start < ids.length; start += mostAtOnce) {
      await api.patch('/photos', { ids: ids.slice(start, start + mostAtOnce), hidden: false });
    }
    this.#decided(ids);
    notify(`Guests see ${counted(ids.length, 'photo', 'photos')} more.`);
    await this.load();
    this.#focus();
  }

  #reject(ids) {
    confirmed(`Delete ${counted(ids.length, 'photo', 'photos')} of guests?`, 'They are gone, with their files. Nothing brings them back.', 'Delete', async () => {
      await api.post('/photo-deletions', { ids });
      this.#decided(ids);
      notify(`${counted(ids.length, 'photo is', 'photos are')} deleted.`);
      await attempt(() => this.load());
      return this.#next;
    });
  }
}
