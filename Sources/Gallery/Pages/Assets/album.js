// The photos of an event as its host sees them, hidden ones too, and the uploads that did not become photos.

import { AlbumFilter } from './albumfilter.js';
import { api } from './api.js';
import { compared } from './position.js';
import {
  attempt, closeButton, confirmed, counted, day, deedButton, dialog, element, field, form, notify, size,
} from './markup.js';
import { badge, facts, large } from './filmed.js';
import { Nearby } from './nearby.js';
import { Picking } from './picking.js';
import { seldom } from './seldom.js';

const perPage = 60;
// What comes by scrolling, and the most that the server gives at once.
const mostPerPage = 200;
// How far below what is seen it is loaded.
const ahead = '1200px';
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
  // What was looked for when the list that is shown was read.
  #listed = null;
  // How many the event has, hidden ones too.
  #total = 0;
  // What is being read: all anew, or what comes next.
  #reading = null;
  #loading = null;
  #watch = window.IntersectionObserver && new IntersectionObserver((seen) => seen.at(-1).isIntersecting && this.#loadOn(), { rootMargin: ahead });
  #end = element('p', { class: 'more' });
  #refused = 0;
  // Pictures that were asked for once more, each once.
  #again = new Set();
  #renewal = null;
  #renew;
  #photos = new Map();
  // A host who has scrolled through an evening has thousands of tiles.
  #nearby = new Nearby(this.#list, (item) => this.#fill(item, this.#photos.get(item.dataset.photo).photo));
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
    this.filter = new AlbumFilter(id, () => attempt(() => this.#turn()));
    this.#more = deedButton('More photos', () => this.#loadMore(), { hidden: true, id: 'more' });
    this.#end.append(this.#more);
    this.#picking = new Picking(id, this.#list, {
      photo: (photo) => this.#photos.get(photo)?.photo, called,
      place: (photo) => this.#photos.has(photo.id) && this.place(photo), remove: (photo) => this.remove(photo), total: () => this.#found, all: (tell) => this.#all(tell),
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
      this.#empty, this.#copies, this.#list, this.#end, this.#picking.bar);
  }

  // Hidden photos are found as well.
  #search(text, delay) {
    clearTimeout(this.#typing);
    if (text.trim() === this.#wanted) return;
    this.#typing = setTimeout(() => attempt(async () => {
      this.#wanted = text.trim();
      await this.#turn();
    }), delay);
  }

  #ask(cursor, limit = mostPerPage) {
    const query = new URLSearchParams({ limit, ...(cursor ? { cursor } : {}), ...(this.#wanted ? { q: this.#wanted } : {}), ...(this.filter.album ? { album: this.filter.album } : {}) });
    return api.get(`/events/${this.#id}/photos?${query}`);
  }

  // Others are looked for: a page of them.
  #turn() {
    this.#picking.turned();
    return this.load(perPage);
  }

  // From the latest on, as many as were shown. Tiles of photos that are as they were stay, so that nothing flickers and the focus
  // stays too.
  async load(goal = Math.max(perPage, this.#photos.size)) {
    const mine = (this.#question += 1);
    const subject = this.#subject;
    const before = [...this.#photos.keys()];
    const photos = [];
    let next = null;
    this.#reading = mine;
    try {
      do {
        const page = await this.#ask(next, Math.min(mostPerPage, goal - photos.length));
        if (mine !== this.#question) return;
        photos.push(...page.photos);
        ({ next } = page);
      } while (next && photos.length < goal);
    } finally {
      if (this.#reading === mine) this.#reading = null;
    }
    this.#listed = subject;
    const now = new Set(photos.map((photo) => photo.id));
    for (const id of before) if (!now.has(id)) this.#drop(id);
    // Those that have come by themselves meanwhile stay on top.
    const arrived = [...this.#list.children].filter((item) => !now.has(item.dataset.photo));
    this.#next = next;
    this.#last = Math.max(this.#last, ...photos.map((photo) => photo.sequence));
    let above = arrived.at(-1) ?? null;
    for (const photo of photos) {
      if (this.#photos.has(photo.id)) this.place(photo);
      else this.#make(photo);
      const { item } = this.#photos.get(photo.id);
      // Only what is not in its place is moved: an element that moves loses the focus.
      const place = above ? above.nextElementSibling : this.#list.firstElementChild;
      if (place !== item) this.#list.insertBefore(item, place);
      above = item;
    }
    this.#showEnds();
    this.#lookFurther();
  }

  #loadMore() {
    this.#loading ??= this.#loadNext().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #loadNext() {
    const mine = this.#question;
    // It comes to its end by itself; and a list of something else has no more of what is looked for.
    if (this.#reading === mine || !this.#next || this.#listed !== this.#subject) return;
    const { photos, next } = await this.#ask(this.#next);
    if (mine !== this.#question) return this.#lookFurther();
    this.#next = next;
    const first = photos.find((photo) => !this.#photos.has(photo.id));
    const hadFocus = this.#more === document.activeElement;
    for (const photo of photos) this.place(photo);
    this.#showEnds();
    if (first && hadFocus && this.#more.hidden) this.#photos.get(first.id)?.item.querySelector('.edit')?.focus();
    this.#lookFurther();
  }

  #loadOn() {
    // What fails is offered once more; then the button does it.
    if (!this.#loading) attempt(() => this.#loadMore());
  }

  // It is told anew whether the end is near what is seen.
  #lookFurther() {
    this.#watch?.unobserve(this.#end);
    if (this.#next) this.#watch?.observe(this.#end);
  }

  // How many there are of what is looked for; nothing where that is not known.
  get #found() {
    if (this.#listed !== this.#subject) return null;
    if (!this.#next) return this.#photos.size;
    if (this.#wanted) return null;
    return this.filter.album ? this.filter.count : this.#total;
  }

  // What is looked for.
  get #subject() { return JSON.stringify([this.#wanted, this.filter.album]); }

  // All that are looked for, also those that are not shown yet; nothing where others are looked for meanwhile. What is shown may be
  // read anew while they are asked for, such as when hundreds have just been changed.
  async #all(tell) {
    const mine = this.#subject;
    const found = [];
    let next = null;
    do {
      const page = await this.#ask(next);
      if (mine !== this.#subject) return null;
      found.push(...page.photos);
      tell(found.length);
      ({ next } = page);
    } while (next);
    return found;
  }

  // By the counts.
  expect(total) {
    this.#total = total;
    this.#picking.count();
  }

  #showEnds() {
    this.#empty.hidden = this.#photos.size > 0 || Boolean(this.#next);
    this.#empty.textContent = this.#emptyWords;
    this.#copies.hidden = this.#photos.size === 0;
    this.#more.hidden = !this.#next;
    this.#picking.count();
  }

  get #emptyWords() {
    const within = this.filter.album ? ` in “${this.filter.name}”` : '';
    if (this.#wanted) return `Nothing is found for “${this.#wanted}”${within}.`;
    return within ? `No photos${within}.` : 'No photos yet. They appear here seconds after they are uploaded.';
  }

  end() {
    this.#watch?.disconnect();
    this.#nearby.end();
    this.filter.hear.end();
    this.#renewSoon.end();
  }

  // Where it belongs by when it was taken, once.
  place(photo) {
    const old = this.#photos.get(photo.id);
    if (old && !isNewer(photo, old.photo)) return;
    const item = this.#make(photo);
    if (old) return this.#replace(old.item, item);
    const isBehind = (other) => {
      const beside = this.#photos.get(other.dataset.photo).photo;
      return beside.sequence <= this.#last && compared(beside.position, photo.position) < 0;
    };
    // What comes page by page belongs behind the last one.
    const last = this.#list.lastElementChild;
    const after = last && isBehind(last) ? [...this.#list.children].find(isBehind) : null;
    this.#list.insertBefore(item, after ?? null);
    this.#showEnds();
  }

  #make(photo) {
    const item = element('li', { 'data-photo': photo.id, class: photo.hidden ? 'is-hidden' : null });
    this.#photos.set(photo.id, { photo, item });
    this.#fill(item, photo);
    this.#nearby.add(item);
    return item;
  }

  // One that has come by itself stands on top until the list is read again. One that has changed and is older than
  // everything that is loaded comes with its page.
  hear(photo) {
    this.#picking.hear(photo);
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
    if (image?.getAttribute('src') === fresh.getAttribute('src')) {
      image.alt = fresh.alt;
      fresh.replaceWith(image);
    }
    old.replaceWith(item);
    if (focused) item.querySelector(`.${focused}`)?.focus();
  }

  // It is deleted.
  remove(id) {
    this.#drop(id);
    this.#picking.forget(id);
    this.#showEnds();
  }

  // It is not shown any more; picked it may be as before.
  #drop(id) {
    this.#photos.get(id)?.item.remove();
    this.#photos.delete(id);
  }

  // As it is when it is seen.
  #fill(item, photo) {
    const name = called(photo);
    const image = element('img', {
      // A caption stands below it, and is not read out twice.
      src: `/images/${photo.thumbKey}`, alt: photo.caption ? '' : name, loading: 'lazy', decoding: 'async', error: (failed) => this.#refuse(failed.target),
    });
    const about = [photo.rating ? '★'.repeat(photo.rating) : null, photo.caption].filter(Boolean).join(' ');
    item.replaceChildren(
      element('button', { type: 'button', class: 'edit', click: (click) => this.#picking.takes(photo.id, click) || this.#edit(photo) },
        image, badge(photo), photo.hidden ? element('span', { class: 'badge' }, 'Hidden') : null,
        about ? element('span', { class: 'words', dir: 'auto' }, about) : null),
      element('div', { class: 'deeds' },
        deedButton(photo.hidden ? 'Show' : 'Hide', () => this.#change(photo, { hidden: !photo.hidden }),
          { class: 'hide', 'aria-label': `${photo.hidden ? 'Show' : 'Hide'} ${name}` }),
        element('button', { type: 'button', class: 'delete', 'aria-label': `Delete ${name}`, click: () => this.#delete(photo) }, 'Delete')));
    this.#picking.mark(item, name);
  }

  // A PIN that was changed elsewhere closes the images to this page too, until it has asked for the event again.
  async #refuse(image) {
    const address = image.getAttribute('src');
    if (this.#again.has(address) || this.#refused > 3) return;
    this.#again.add(address);
    try {
      this.#renewal ??= this.#renew();
      await this.#renewal;
      image.src = address;
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
        this.#photos.get(photo.id)?.item.querySelector('.edit')?.focus();
      }));
    panel.classList.add('wide');
    const cover = deedButton('Use as cover', async () => {
      await api.patch(`/events/${this.#id}`, { coverPhoto: photo.id });
      panel.close();
      notify('It is the cover. Guests see it when they open the page anew.');
      this.#photos.get(photo.id)?.item.querySelector('.edit')?.focus();
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
