// Many photos at once: which are picked, and what is done to them.

import { api, Problem } from './api.js';
import { closeButton, confirmed, counted, deedButton, dialog, element, field, form, notify, working } from './markup.js';
import { save } from './saving.js';

// The server takes 500 in one request. Other changes wait meanwhile, and this one is to be seen going on.
const perRequest = 250;
const mostInArchive = 1000;
const words = (text) => [...new Set(text.split(',').map((word) => word.trim()).filter(Boolean))];
const gone = (count) => (count > 0 ? ` ${counted(count, 'photo is', 'photos are')} not there any more.` : '');

// What the server says of one photo of many stands beside a field that there may not be.
function reason({ message, fields }) {
  const texts = Object.entries(fields ?? {}).map(([name, said]) => `${name} ${said.join(', ')}.`);
  return texts.join(' ') || message;
}

export class Picking {
  #event;
  #list;
  #photo;
  #called;
  #place;
  #remove;
  #sorted;
  #total;
  #all;
  #isOn = false;
  // By id, also those that are not shown: whether each was hidden when it was last heard of.
  #picked = new Map();
  // All that are looked for were picked, shown or not, and none has been put back.
  #hasAll = false;
  #last = null;
  #isTelling = false;
  #count = element('p', { role: 'status' });
  #allButton;
  #deeds;

  // `photo` gives one that is shown by its id, and `called` its name; `place` shows one as it is now, and `remove` takes it away; `total` is
  // how many there are of what is looked for, and `all` reads them; `sorted` is told that albums are others.
  constructor(event, list, { photo, called, place, remove, total, all, sorted }) {
    this.#event = event;
    this.#list = list;
    this.#photo = photo;
    this.#called = called;
    this.#place = place;
    this.#remove = remove;
    this.#total = total;
    this.#all = all;
    this.#sorted = sorted;
    this.button = element('button', { type: 'button', id: 'select', 'aria-pressed': 'false', click: () => this.#turn(!this.#isOn) }, 'Select');
    this.#allButton = deedButton('All', () => this.#pickAll(), { class: 'quiet', id: 'pick-all' });
    this.#deeds = element('div', { class: 'deeds' },
      deedButton('Hide', () => this.#hide(true), { id: 'hide-picked' }), deedButton('Show', () => this.#hide(false), { id: 'show-picked' }),
      element('button', { type: 'button', id: 'tag-picked', click: () => this.#tag() }, 'Tag'),
      deedButton('Album', () => this.#album(), { id: 'album-picked' }),
      element('button', { type: 'button', id: 'clear-captions', click: () => this.#clearCaptions() }, 'Clear captions'),
      deedButton('Download', () => this.#download(), { id: 'download-picked' }),
      element('button', { type: 'button', id: 'delete-picked', click: () => this.#delete() }, 'Delete'));
    this.bar = element('div', { class: 'picking', role: 'toolbar', 'aria-label': 'Selected photos', hidden: true }, this.#count, this.#allButton, this.#deeds,
      element('button', { type: 'button', class: 'main', id: 'end-picking', click: () => this.#turn(false) }, 'Done'));
    for (const place of [list, this.bar]) place.addEventListener('keydown', (key) => this.#hearKey(key));
    this.#show();
  }

  // Whether a click on a photo is about picking it. With Ctrl or Shift it begins so; Shift takes all from the last one on.
  takes(id, click) {
    if (!this.#isOn && !click.ctrlKey && !click.metaKey && !click.shiftKey) return false;
    if (!this.#isOn) this.#turn(true);
    const items = [...this.#list.children];
    const [from, to] = [this.#last, id].map((one) => items.findIndex((item) => item.dataset.photo === one));
    let touched = [items[to]];
    if (click.shiftKey && from >= 0) {
      touched = items.slice(Math.min(from, to), Math.max(from, to) + 1);
      this.#pick(touched.map((item) => this.#photo(item.dataset.photo)));
    } else if (this.#picked.delete(id)) this.#hasAll = false;
    else this.#pick([this.#photo(id)]);
    this.#last = id;
    this.#show(touched);
    return true;
  }

  #pick(photos) {
    for (const { id, hidden } of photos) this.#picked.set(id, hidden);
  }

  // A tile was made anew, or is there for the first time.
  mark(item, name) {
    const isPicked = this.#picked.has(item.dataset.photo);
    const button = item.querySelector('.edit');
    item.classList.toggle('is-picked', isPicked);
    // Far from what is seen it is empty.
    if (!button) return;
    button.setAttribute('aria-label', `${this.#isOn ? 'Select' : 'Edit'} ${name}`);
    if (this.#isOn) button.setAttribute('aria-pressed', String(isPicked));
    else button.removeAttribute('aria-pressed');
  }

  forget(id) {
    if (this.#picked.delete(id)) this.#tell();
  }

  // One that is not shown may be picked all the same.
  hear({ id, hidden }) {
    if (this.#picked.has(id)) this.#picked.set(id, hidden);
  }

  // Others are looked for. What is picked stays so, and is told.
  turned() {
    this.#hasAll = false;
  }

  // How many there are, or are shown, has changed.
  count() {
    if (this.#isOn) this.#tell();
  }

  get #shown() { return [...this.#list.children].map((item) => this.#photo(item.dataset.photo)); }

  get #isAll() {
    const shown = this.#list.childElementCount;
    return (this.#hasAll || this.#total() === shown) && shown > 0 && this.#picked.size - this.#unseen === shown;
  }

  // All that are looked for: what is not shown yet is asked for.
  async #pickAll() {
    if (this.#isAll) {
      this.#picked.clear();
      this.#hasAll = false;
      return this.#show();
    }
    if (this.#total() === this.#list.childElementCount) this.#pick(this.#shown);
    else {
      const found = await this.#all((count) => (this.#count.textContent = `Looking for all of them: ${count.toLocaleString('en')} so far`));
      if (!this.#isOn) return;
      if (!found) {
        this.#show();
        return notify('Other photos are looked for by now. Select all once more.');
      }
      this.#pick(found);
      this.#hasAll = true;
    }
    this.#show();
  }

  #turn(isOn) {
    this.#isOn = isOn;
    this.#picked.clear();
    this.#hasAll = false;
    this.#last = null;
    this.#show();
    if (!isOn && this.bar.contains(document.activeElement)) this.button.focus();
    this.bar.hidden = !isOn;
    this.button.setAttribute('aria-pressed', String(isOn));
    this.#list.classList.toggle('is-picking', isOn);
  }

  #show(items = this.#list.children) {
    for (const item of items) this.mark(item, this.#called(this.#photo(item.dataset.photo)));
    this.#tell();
  }

  // How many of them the page does not show, as they are not loaded or not looked for.
  get #unseen() {
    let unseen = 0;
    for (const id of this.#picked.keys()) if (!this.#photo(id)) unseen += 1;
    return unseen;
  }

  // Of many changes in a row once.
  #tell() {
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      const unseen = this.#unseen;
      const where = unseen ? `, ${unseen.toLocaleString('en')} of them not shown here` : '';
      this.#count.textContent = `${counted(this.#picked.size, 'photo', 'photos')} selected${where}`;
      const total = this.#total();
      this.#allButton.textContent = this.#isAll ? 'None' : total === null ? 'All found' : `All ${total.toLocaleString('en')}`;
      for (const button of this.#deeds.children) button.disabled = this.#picked.size === 0;
    });
  }

  #hearKey(key) {
    if (!this.#isOn) return;
    if (key.key === 'Escape') this.#turn(false);
    else if (key.key === 'a' && (key.ctrlKey || key.metaKey)) this.#allButton.click();
    else return;
    key.preventDefault();
  }

  // Deeds

  // One request after the other, each of which the server does whole or not at all. What it refuses of one says nothing of the next;
  // where it does not answer, the rest has to wait. Answers how many are done; those that are not stay picked.
  async #portions(title, ids, deed) {
    const progress = ids.length > perRequest ? working(title, ids.length) : null;
    const left = [];
    let done = 0;
    let first = null;
    try {
      for (let begin = 0; begin < ids.length; begin += perRequest) {
        const portion = ids.slice(begin, begin + perRequest);
        progress?.show(begin);
        try {
          done += await deed(portion);
        } catch (problem) {
          if (problem.isLoggedOut || ids.length <= perRequest) throw problem;
          first ??= problem;
          left.push(...portion);
          if (problem.status === 422) continue;
          left.push(...ids.slice(begin + perRequest));
          break;
        }
      }
    } finally {
      progress?.end();
    }
    if (first) throw this.#unfinished(first, done, ids, left);
    return done;
  }

  // Others may have been picked meanwhile.
  #unfinished(problem, done, ids, left) {
    const rest = new Set(left);
    for (const id of ids) if (!rest.has(id)) this.#picked.delete(id);
    this.#hasAll = false;
    if (this.#isOn) this.#show();
    const stay = left.every((id) => this.#picked.has(id)) ? ', which stay selected' : '';
    const said = `${reason(problem)} ${counted(done, 'photo is', 'photos are')} done, and ${left.length.toLocaleString('en')} are not${stay}.`;
    return new Problem(said, { status: problem.status, code: problem.code });
  }

  #change(title, ids, wish) {
    return this.#portions(title, ids, async (portion) => {
      const { photos } = await api.patch('/photos', { ids: portion, ...wish });
      for (const photo of photos) {
        this.hear(photo);
        this.#place(photo);
      }
      return photos.length;
    });
  }

  #hidden(id) { return this.#photo(id)?.hidden ?? this.#picked.get(id); }

  async #hide(hidden) {
    const ids = [...this.#picked.keys()].filter((id) => this.#hidden(id) !== hidden);
    if (!ids.length) return notify(`They are ${hidden ? 'hidden' : 'shown'} already.`);
    const done = await this.#change(hidden ? 'Hiding photos' : 'Showing photos', ids, { hidden });
    const undo = deedButton('Undo', async () => {
      await this.#change('Undoing', ids, { hidden: !hidden });
      notify('It is as it was.');
    }, { class: 'undo' });
    notify(`${counted(done, 'photo is', 'photos are')} ${hidden ? 'hidden from guests' : 'shown to guests'}.${gone(ids.length - done)}`, null, undo);
  }

  #tag() {
    const panel = dialog(`Tag ${counted(this.#picked.size, 'photo', 'photos')}`, form({ id: 'tag-form' }, [
      field('Add tags', { name: 'addTags', autocomplete: 'off' }, 'Separated by commas.'),
      field('Remove tags', { name: 'removeTags', autocomplete: 'off' }),
    ], 'Save', async (values) => {
      const wish = { addTags: words(values.addTags), removeTags: words(values.removeTags) };
      if (wish.addTags.length || wish.removeTags.length) await this.#change('Tagging photos', [...this.#picked.keys()], wish);
      panel.close();
    }));
    panel.querySelector('.deeds').prepend(closeButton());
  }

  async #album() {
    const { chooseAlbum } = await import('./albums.js');
    await chooseAlbum(this.#event, this.#picked.size, {
      change: (wish) => this.#change('Sorting photos', [...this.#picked.keys()], wish), changed: this.#sorted,
    });
  }

  #clearCaptions() {
    confirmed('Clear their captions?', `${counted(this.#picked.size, 'photo has', 'photos have')} no caption afterwards.`, 'Clear them', async () => {
      await this.#change('Clearing captions', [...this.#picked.keys()], { caption: '' });
    });
  }

  async #download() {
    const photos = [...this.#picked.keys()];
    if (photos.length > mostInArchive) return notify(`A selection has at most ${mostInArchive.toLocaleString('en')} photos. “Download all” has everything.`);
    const { url } = await api.post(`/events/${this.#event}/zip-link`, { photos });
    await save(url);
  }

  #delete() {
    const unseen = this.#unseen;
    const where = unseen ? ` ${counted(unseen, 'of them is', 'of them are')} not shown on the page just now.` : '';
    const text = `${counted(this.#picked.size, 'photo', 'photos')} and their files are deleted, for you and for your guests.${where} Nothing brings them back. A browser that has loaded them may keep them.`;
    confirmed('Delete the selected photos?', text, 'Delete them', async () => {
      const ids = [...this.#picked.keys()];
      const done = await this.#portions('Deleting photos', ids, async (portion) => {
        const { deleted } = await api.post('/photo-deletions', { ids: portion });
        // What others have deleted is gone as well.
        for (const id of portion) this.#remove(id);
        return deleted.length;
      });
      notify(`${counted(done, 'photo is', 'photos are')} deleted.${gone(ids.length - done)}`);
      return this.button;
    });
  }
}
