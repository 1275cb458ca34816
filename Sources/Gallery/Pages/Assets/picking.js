// Many photos at once: which are picked, and what is done to them.

import { api } from './api.js';
import { closeButton, confirmed, counted, deedButton, dialog, element, field, form, notify } from './markup.js';

// The server takes so many in one request.
const mostAtOnce = 500;
const mostInArchive = 1000;
const words = (text) => [...new Set(text.split(',').map((word) => word.trim()).filter(Boolean))];

export class Picking {
  #event;
  #list;
  #photo;
  #place;
  #remove;
  #sorted;
  #isOn = false;
  #picked = new Set();
  #last = null;
  #count = element('p', { role: 'status' });
  #deeds;

  // `photo` gives what is known of one by its id; `place` shows one as it is now, and `remove` takes it away; `sorted` is told that
  // albums are others.
  constructor(event, list, { photo, place, remove, sorted }) {
    this.#event = event;
    this.#list = list;
    this.#photo = photo;
    this.#place = place;
    this.#remove = remove;
    this.#sorted = sorted;
    this.button = element('button', { type: 'button', id: 'select', 'aria-pressed': 'false', click: () => this.#turn(!this.#isOn) }, 'Select');
    const all = element('button', { type: 'button', class: 'quiet', id: 'pick-all', click: () => this.#pickAll() }, 'All shown');
    this.#deeds = element('div', { class: 'deeds' },
      deedButton('Hide', () => this.#hide(true), { id: 'hide-picked' }), deedButton('Show', () => this.#hide(false), { id: 'show-picked' }),
      element('button', { type: 'button', id: 'tag-picked', click: () => this.#tag() }, 'Tag'),
      deedButton('Album', () => this.#album(), { id: 'album-picked' }),
      element('button', { type: 'button', id: 'clear-captions', click: () => this.#clearCaptions() }, 'Clear captions'),
      deedButton('Download', () => this.#download(), { id: 'download-picked' }),
      element('button', { type: 'button', id: 'delete-picked', click: () => this.#delete() }, 'Delete'));
    this.bar = element('div', { class: 'picking', role: 'toolbar', 'aria-label': 'Selected photos', hidden: true }, this.#count, all, this.#deeds,
      element('button', { type: 'button', class: 'main', id: 'end-picking', click: () => this.#turn(false) }, 'Done'));
    for (const place of [list, this.bar]) place.addEventListener('keydown', (key) => this.#hearKey(key));
    this.#show();
  }

  // Whether a click on a photo is about picking it. With Ctrl or Shift it begins so; Shift takes all from the last one on.
  takes(id, click) {
    if (!this.#isOn && !click.ctrlKey && !click.metaKey && !click.shiftKey) return false;
    if (!this.#isOn) this.#turn(true);
    const ids = this.#ids();
    const [from, to] = [ids.indexOf(this.#last), ids.indexOf(id)];
    if (click.shiftKey && from >= 0) {
      for (const one of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) this.#picked.add(one);
    } else if (!this.#picked.delete(id)) this.#picked.add(id);
    this.#last = id;
    this.#show();
    return true;
  }

  // A tile was made anew, or is there for the first time.
  mark(item, name) {
    const isPicked = this.#picked.has(item.dataset.photo);
    const button = item.querySelector('.edit');
    item.classList.toggle('is-picked', isPicked);
    button.setAttribute('aria-label', `${this.#isOn ? 'Select' : 'Edit'} ${name}`);
    if (this.#isOn) button.setAttribute('aria-pressed', String(isPicked));
    else button.removeAttribute('aria-pressed');
  }

  forget(id) {
    if (this.#picked.delete(id)) this.#tell();
  }

  #ids() { return [...this.#list.children].map((item) => item.dataset.photo); }

  #pickAll() {
    const ids = this.#ids();
    if (ids.every((id) => this.#picked.has(id))) this.#picked.clear();
    else for (const id of ids) this.#picked.add(id);
    this.#show();
  }

  #turn(isOn) {
    this.#isOn = isOn;
    this.#picked.clear();
    this.#last = null;
    this.#show();
    if (!isOn && this.bar.contains(document.activeElement)) this.button.focus();
    this.bar.hidden = !isOn;
    this.button.setAttribute('aria-pressed', String(isOn));
    this.#list.classList.toggle('is-picking', isOn);
  }

  #show() {
    for (const item of this.#list.children) this.mark(item, this.#photo(item.dataset.photo).called);
    this.#tell();
  }

  #tell() {
    this.#count.textContent = `${counted(this.#picked.size, 'photo', 'photos')} selected`;
    for (const button of this.#deeds.children) button.disabled = this.#picked.size === 0;
  }

  #hearKey(key) {
    if (!this.#isOn) return;
    if (key.key === 'Escape') this.#turn(false);
    else if (key.key === 'a' && (key.ctrlKey || key.metaKey)) this.#pickAll();
    else return;
    key.preventDefault();
  }

  // Deeds

  async #change(ids, wish) {
    for (let begin = 0; begin < ids.length; begin += mostAtOnce) {
      const { photos } = await api.patch('/photos', { ids: ids.slice(begin, begin + mostAtOnce), ...wish });
      for (const photo of photos) this.#place(photo);
    }
  }

  async #hide(hidden) {
    const ids = [...this.#picked].filter((id) => this.#photo(id).hidden !== hidden);
    if (!ids.length) return notify(`They are ${hidden ? 'hidden' : 'shown'} already.`);
    await this.#change(ids, { hidden });
    const undo = deedButton('Undo', async () => {
      await this.#change(ids, { hidden: !hidden });
      notify('It is as it was.');
    }, { class: 'undo' });
    notify(`${counted(ids.length, 'photo is', 'photos are')} ${hidden ? 'hidden from guests' : 'shown to guests'}.`, null, undo);
  }

  #tag() {
    const panel = dialog(`Tag ${counted(this.#picked.size, 'photo', 'photos')}`, form({ id: 'tag-form' }, [
      field('Add tags', { name: 'addTags', autocomplete: 'off' }, 'Separated by commas.'),
      field('Remove tags', { name: 'removeTags', autocomplete: 'off' }),
    ], 'Save', async (values) => {
      const wish = { addTags: words(values.addTags), removeTags: words(values.removeTags) };
      if (wish.addTags.length || wish.removeTags.length) await this.#change([...this.#picked], wish);
      panel.close();
    }));
    panel.querySelector('.deeds').prepend(closeButton());
  }

  async #album() {
    const { chooseAlbum } = await import('./albums.js');
    await chooseAlbum(this.#event, this.#picked.size, {
      change: async (wish) => {
        const ids = [...this.#picked];
        await this.#change(ids, wish);
        return ids.length;
      },
      changed: this.#sorted,
    });
  }

  #clearCaptions() {
    confirmed('Clear their captions?', `${counted(this.#picked.size, 'photo has', 'photos have')} no caption afterwards.`, 'Clear them', () =>
      this.#change([...this.#picked], { caption: '' }));
  }

  async #download() {
    const photos = [...this.#picked];
    if (photos.length > mostInArchive) return notify(`A selection has at most ${mostInArchive.toLocaleString('en')} photos. “Download all” has everything.`);
    const { url } = await api.post(`/events/${this.#event}/zip-link`, { photos });
    // A file that is saved: the page stays.
    location.assign(url);
  }

  #delete() {
    const text = `${counted(this.#picked.size, 'photo', 'photos')} and their files are deleted, for you and for your guests. Nothing brings them back. A browser that has loaded them may keep them.`;
    confirmed('Delete the selected photos?', text, 'Delete them', async () => {
      const ids = [...this.#picked];
      for (let begin = 0; begin < ids.length; begin += mostAtOnce) {
        const { deleted } = await api.post('/photo-deletions', { ids: ids.slice(begin, begin + mostAtOnce) });
        for (const id of deleted) this.#remove(id);
      }
      // What others have deleted is gone as well.
      for (const id of ids) this.#remove(id);
      notify(`${counted(ids.length, 'photo is', 'photos are')} deleted.`);
      return this.button;
    });
  }
}
