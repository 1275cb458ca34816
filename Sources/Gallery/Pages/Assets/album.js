// The photos of an event as its host sees them, hidden ones too, and the uploads that did not become photos.

import { AlbumFilter } from './albumfilter.js';
import { api } from './api.js';
import { compared } from './position.js';
import {
  attempt, closeButton, confirmed, counted, day, deedButton, dialog, element, field, form, notify, size,
} from './markup.js';
import { badge, facts, large } from './filmed.js';
import { Picking } from './picking.js';
import { seldom } from './seldom.js';

const perPage = 60;
// What is told late is not to undo what was told since. Other times of a photo are no change of its host's.
const isNewer = (photo, old) => photo.updatedAt > old.updatedAt
  || (photo.updatedAt === old.updatedAt && (photo.position !== old.position || photo.localTime !== old.localTime));
const called = (photo) => photo.caption || photo.filename || 'without a name';

export class Album {
  #id;
  #list = element('ul', { class: 'album' });
  #empty = element('p', { class: 'hint', hidden: true }, 'No photos yet. They appear here seconds after they are uploaded.');
  #copies = element('p', { class: 'hint', hidden: true },
    'What you hide or delete is gone for guests within a minute. A browser that has loaded a photo may keep it.');
  #more;
  #next = null;
  #refused = 0;
  #renewal = null;
  #renew;
  #photos = new Map();
  #picking;
  // What of an album others may have changed is not said by any message.
  #renewSoon = seldom(3000, () => this.load());
  // What is searched for, and a number by which a late answer sees that something else is.
  #wanted = '';
  #question = 0;
  #typing = null;
  // The number of the last photo that had come when the list was read.
  #last = 0;

  // `renew` asks for the event once more, and with it for the cookie that images want.
  constructor(id, renew) {
    this.#id = id;
    this.#renew = renew;
    this.filter = new AlbumFilter(id, () => attempt(() => this.load()));
    this.#more = deedButton('More photos', () => this.#loadMore(), { hidden: true, id: 'more' });
    this.#picking = new Picking(id, this.#list, {
      photo: (photo) => ({ ...this.#photos.get(photo)?.photo, called: called(this.#photos.get(photo)?.photo ?? {}) }),
      place: (photo) => this.place(photo), remove: (photo) => this.remove(photo),
      sorted: async () => {
        await this.filter.load();
        if (this.filter.album) await this.load();
      },
    });
    const search = element('input', {
      type: 'search', id: 'search', placeholder: 'Caption, tag, file, camera, time', maxlength: 200, 'aria-label': 'Search the photos', autocomplete: 'off',
      input: () => this.#search(search.value, 300), search: () => this.#search(search.value, 0),
    });
    this.section = element('section', { class: 'photos', 'aria-labelledby': 'photos-title' },
      element('div', { class: 'photos-head' }, element('h2', { id: 'photos-title' }, 'Photos'), this.filter.parts, search, this.#picking.button),
      this.#empty, this.#copies, this.#list, element('p', { class: 'more' }, this.#more), this.#picking.bar);
  }

  // Hidden photos are found as well.
  #search(text, delay) {
    clearTimeout(this.#typing);
    if (text.trim() === this.#wanted) return;
    this.#typing = setTimeout(() => attempt(async () => {
      this.#wanted = text.trim();
      await this.load();
    }), delay);
  }

  #ask(cursor) {
    const query = new URLSearchParams({ limit: perPage, ...(cursor ? { cursor } : {}), ...(this.#wanted ? { q: this.#wanted } : {}), ...(this.filter.album ? { album: this.filter.album } : {}) });
    return api.get(`/events/${this.#id}/photos?${query}`);
  }

  // From the latest on. Tiles of photos that are as they were stay, so that nothing flickers and the focus stays too.
  async load() {
    const mine = (this.#question += 1);
    const { photos, next } = await this.#ask();
    if (mine !== this.#question) return;
    const now = new Set(photos.map((photo) => photo.id));
    for (const id of [...this.#photos.keys()]) if (!now.has(id)) this.#drop(id);
    this.#next = next;
    this.#last = Math.max(this.#last, ...photos.map((photo) => photo.sequence));
    let before = null;
    for (const photo of photos) {
      this.place(photo);
      const { item } = this.#photos.get(photo.id);
      // Only what is not in its place is moved: an element that moves loses the focus.
      const place = before ? before.nextElementSibling : this.#list.firstElementChild;
      if (place !== item) this.#list.insertBefore(item, place);
      before = item;
    }
    this.#showEnds();
  }

  async #loadMore() {
    const mine = this.#question;
    const { photos, next } = await this.#ask(this.#next);
    if (mine !== this.#question) return;
    this.#next = next;
    const first = photos.find((photo) => !this.#photos.has(photo.id));
    for (const photo of photos) this.place(photo);
    this.#showEnds();
    if (first && this.#more.hidden) this.#photos.get(first.id)?.item.querySelector('.edit').focus();
  }

  #showEnds() {
    this.#empty.hidden = this.#photos.size > 0;
    this.#empty.textContent = this.#emptyWords;
    this.#copies.hidden = this.#photos.size === 0;
    this.#more.hidden = !this.#next;
  }

  get #emptyWords() {
    const within = this.filter.album ? ` in “${this.filter.name}”` : '';
    if (this.#wanted) return `Nothing is found for “${this.#wanted}”${within}.`;
    return within ? `No photos${within}.` : 'No photos yet. They appear here seconds after they are uploaded.';
  }

  end() {
    this.filter.hear.end();
    this.#renewSoon.end();
  }

  // Where it belongs by when it was taken, once.
  place(photo) {
    const old = this.#photos.get(photo.id);
    if (old && !isNewer(photo, old.photo)) return;
    const item = this.#tile(photo);
    this.#photos.set(photo.id, { photo, item });
    this.#picking.mark(item, called(photo));
    if (old) return this.#replace(old.item, item);
    const after = [...this.#list.children].find((other) => {
      const beside = this.#photos.get(other.dataset.photo).photo;
      return beside.sequence <= this.#last && compared(beside.position, photo.position) < 0;
    });
    this.#list.insertBefore(item, after ?? null);
    this.#showEnds();
  }

  // One that has come by itself stands on top until the list is read again. One that has changed and is older than
  // everything that is loaded comes with its page.
  hear(photo) {
    const isThere = this.#photos.has(photo.id);
    if (this.filter.album) this.#renewSoon();
    // Whether it is among what was searched for or in the album, the server knows.
    if (!isThere && (this.#wanted || this.filter.album)) return;
    const last = this.#photos.get(this.#list.lastElementChild?.dataset.photo)?.photo;
    if (!isThere && photo.sequence > this.#last) {
      this.place(photo);
      this.#list.prepend(this.#photos.get(photo.id).item);
    } else if (isThere || !this.#next || (last && compared(photo.position, last.position) > 0)) this.place(photo);
  }

  #replace(old, item) {
    const focused = old.contains(document.activeElement) ? document.activeElement.classList[0] : null;
    const image = old.querySelector('img');
    const fresh = item.querySelector('img');
    // The same picture is not fetched and drawn once more for a word that has changed.
    if (image.getAttribute('src') === fresh.getAttribute('src')) {
      image.alt = fresh.alt;
      fresh.replaceWith(image);
    }
    old.replaceWith(item);
    if (focused) item.querySelector(`.${focused}`)?.focus();
  }

  remove(id) {
    this.#drop(id);
    this.#showEnds();
  }

  #drop(id) {
    this.#photos.get(id)?.item.remove();
    this.#photos.delete(id);
    this.#picking.forget(id);
  }

  #tile(photo) {
    const name = called(photo);
    const image = element('img', {
      src: `/images/${photo.thumbKey}`, alt: name, loading: 'lazy', decoding: 'async', error: (failed) => this.#refuse(failed.target),
    });
    const about = [photo.rating ? '★'.repeat(photo.rating) : null, photo.caption].filter(Boolean).join(' ');
    return element('li', { 'data-photo': photo.id, class: photo.hidden ? 'is-hidden' : null },
      element('button', { type: 'button', class: 'edit', click: (click) => this.#picking.takes(photo.id, click) || this.#edit(photo) },
        image, badge(photo), photo.hidden ? element('span', { class: 'badge' }, 'Hidden') : null,
        about ? element('span', { class: 'words', dir: 'auto' }, about) : null),
      element('div', { class: 'deeds' },
        deedButton(photo.hidden ? 'Show' : 'Hide', () => this.#change(photo, { hidden: !photo.hidden }),
          { class: 'hide', 'aria-label': `${photo.hidden ? 'Show' : 'Hide'} ${name}` }),
        element('button', { type: 'button', class: 'delete', 'aria-label': `Delete ${name}`, click: () => this.#delete(photo) }, 'Delete')));
  }

  // A PIN that was changed elsewhere closes the images to this page too, until it has asked for the event again.
  async #refuse(image) {
    if (image.dataset.again || this.#refused > 3) return;
    image.dataset.again = 'once';
    try {
      this.#renewal ??= this.#renew();
      await this.#renewal;
      image.src = image.getAttribute('src');
    } catch {
      this.#refused += 1;
    } finally {
      this.#renewal = null;
    }
  }

  async #change(photo, wish) {
    this.place(await api.patch(`/photos/${photo.id}`, wish));
  }

  #delete(photo) {
    confirmed('Delete the photo?', `“${called(photo)}” and its files are deleted, for you and for your guests. Nothing brings them back. A browser that has loaded it may keep it.`,
      'Delete', async () => {
        // Looked for now: when the answer is here, the live stream may have taken the tile away.
        const item = this.#photos.get(photo.id)?.item;
        const beside = item?.nextElementSibling ?? item?.previousElementSibling;
        await api.delete(`/photos/${photo.id}`);
        this.remove(photo.id);
        return beside?.querySelector('.delete');
      });
  }

  #edit(photo) {
    const stars = element('select', { name: 'rating', id: 'photo-rating' }, [0, 1, 2, 3, 4, 5].map((count) =>
      element('option', { value: count, selected: count === photo.rating }, count ? `${'★'.repeat(count)} ${count} of 5` : 'None')));
    const tags = photo.tags.join(', ');
    const about = [
      photo.filename, photo.localTime && photo.localTime.slice(0, 16).replace('T', ' '), photo.camera,
      ...facts(photo), size(photo.size), photo.copyright,
    ].filter(Boolean).join(' · ');
    const panel = dialog(photo.kind === 'video' ? 'Edit the video' : 'Edit the photo',
      large(photo, called(photo)), element('p', { class: 'hint' }, about),
      form({ id: 'edit-photo' }, [
        field('Caption', { tag: 'textarea', name: 'caption', rows: 2, maxlength: 2000, dir: 'auto', text: photo.caption }),
        element('div', { class: 'field' }, element('label', { for: 'photo-rating' }, 'Rating'), stars),
        field('Tags', { name: 'tags', autocomplete: 'off', text: tags }, 'Separated by commas.'),
      ], 'Save', async (values) => {
        const wish = {};
        if (values.caption !== photo.caption) wish.caption = values.caption;
        if (Number(values.rating) !== photo.rating) wish.rating = Number(values.rating);
        // A comma within a tag would fall apart into two; who has not touched the tags keeps them.
        if (values.tags !== tags) wish.tags = [...new Set(values.tags.split(',').map((tag) => tag.trim()).filter(Boolean))];
        if (Object.keys(wish).length) await this.#change(photo, wish);
        panel.close();
        this.#photos.get(photo.id)?.item.querySelector('.edit').focus();
      }));
    panel.classList.add('wide');
    const cover = deedButton('Use as cover', async () => {
      await api.patch(`/events/${this.#id}`, { coverPhoto: photo.id });
      panel.close();
      notify('It is the cover. Guests see it when they open the page anew.');
      this.#photos.get(photo.id)?.item.querySelector('.edit').focus();
    }, { class: 'use-as-cover' });
    panel.querySelector('.deeds').prepend(closeButton(), ...(photo.hidden ? [] : [cover]));
  }
}

// Uploads that failed, and why. They are found among all uploads, as far back as there are failed ones.
export class Failures {
  #id;
  #list = element('ul', { class: 'failures' });
  #count = 0;
  #timer = null;
  #isOver = false;

  constructor(id) {
    this.#id = id;
    const all = deedButton('Retry all', async () => {
      const { retried } = await api.post(`/uploads/events/${id}/retry-all`);
      notify(retried ? `${counted(retried, 'upload is', 'uploads are')} tried again.` : 'None of them can go better: they have to be uploaded anew.');
      await this.#load();
    }, { id: 'retry-all' });
    const none = element('button', { type: 'button', id: 'dismiss-all', click: () => this.#dismissAll() }, 'Dismiss all');
    this.section = element('section', { class: 'box', hidden: true, 'aria-labelledby': 'failed-title' },
      element('h2', { id: 'failed-title' }, 'Failed uploads'), this.#list, element('div', { class: 'deeds' }, all, none));
  }

  #dismissAll() {
    confirmed('Dismiss all failed uploads?', 'What came of them is deleted, and bridges are told not to send them again. The photos on the cameras stay.',
      'Dismiss them', async () => {
        const { dismissed } = await api.post(`/uploads/events/${this.#id}/dismiss-all`);
        notify(`${counted(dismissed, 'upload is', 'uploads are')} dismissed.`);
      });
  }

  // How many there are, by the counts. Many may change at once: the list follows a moment later.
  expect(count) {
    if (count === this.#count) return;
    this.#count = count;
    this.section.hidden = count === 0;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => attempt(() => this.#load()), 300);
  }

  end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #load() {
    const failed = [];
    let cursor = null;
    if (this.#count > 0) {
      do {
        const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
        const { uploads, next } = await api.get(`/uploads/events/${this.#id}${query}`);
        failed.push(...uploads.filter((upload) => upload.status === 'failed'));
        cursor = next;
      } while (cursor && failed.length < this.#count && !this.#isOver);
    }
    this.#list.replaceChildren(...failed.map((upload) => this.#item(upload)));
  }

  #item(upload) {
    const name = upload.filename || upload.uploadId;
    const why = upload.errorMessage ?? upload.errorCode ?? '';
    return element('li', { 'data-upload': upload.uploadId },
      element('div', {}, element('strong', { dir: 'auto' }, name),
        element('p', {}, element('span', { class: 'problem' }, upload.status), why && ` · ${why}`),
        upload.createdAt ? element('p', { class: 'hint' }, day(upload.createdAt)) : null),
      element('div', { class: 'deeds' },
        deedButton('Retry', async () => {
          await api.post(`/uploads/events/${this.#id}/${upload.uploadId}/retry`);
          await this.#load();
        }, { class: 'retry', 'aria-label': `Retry ${name}` }),
        deedButton('Dismiss', async () => {
          await api.post(`/uploads/events/${this.#id}/${upload.uploadId}/dismiss`);
          await this.#load();
        }, { class: 'dismiss', 'aria-label': `Dismiss ${name}` })));
  }
}
