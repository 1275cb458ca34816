// Where a host drops photos on an event's page, or chooses them. What uploads them is loaded with the first of them.

import { filesIn } from './folders.js';
import { attempt, counted, element } from './markup.js';
import { interrupted } from './unfinished.js';

// What the gallery takes, by the ends of names: browsers know no types of raw files.
const kinds = {
  jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', heic: 'image/heic', heif: 'image/heif', tif: 'image/tiff', tiff: 'image/tiff',
  cr2: 'image/x-canon-cr2', cr3: 'image/x-canon-cr3', nef: 'image/x-nikon-nef', arw: 'image/x-sony-arw', raf: 'image/x-fuji-raf',
  dng: 'image/x-adobe-dng', rw2: 'image/x-panasonic-rw2', mp4: 'video/mp4', m4v: 'video/mp4', mov: 'video/quicktime', qt: 'video/quicktime',
};
const typeOf = ({ name, type }) => kinds[/\.(\w+)$/.exec(name)?.[1].toLowerCase()] ?? (Object.values(kinds).includes(type) ? type : null);
const accepted = [...new Set(Object.values(kinds)), ...Object.keys(kinds).map((end) => `.${end}`)].join();

const named = (list) => `${list.slice(0, 3).map(({ name }) => `“${name}”`).join(', ')}${list.length > 3 ? ` and ${list.length - 3} more` : ''}`;
const passed = (count) => `${counted(count, 'file is no photo or video, and was', 'files are no photos or videos, and were')} passed over.`;

// They go on while their host looks at another event.
const running = new Map();

// Where nothing takes a file, as behind a dialog, the browser would open it in the page's place, and uploads would end.
for (const name of ['dragover', 'drop']) {
  addEventListener(name, (event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files') || event.target.closest?.('input[type=file]')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  });
}

export class DropZone {
  #id;
  #uploads = null;
  #loading = null;
  #hint = element('p', { class: 'hint', hidden: true });
  #reading = element('p', { class: 'hint', role: 'status', hidden: true });
  #refused = element('p', { class: 'problem', role: 'alert', hidden: true });
  #place = element('div');
  #depth = 0;
  #ended = new AbortController();

  constructor(id) {
    this.#id = id;
    const input = element('input', {
      type: 'file', id: 'choose-files', multiple: true, accept: accepted, hidden: true,
      change: () => {
        this.#take([...input.files]);
        // The same file once more is a change, too.
        input.value = '';
      },
    });
    this.section = element('section', { class: 'box adding', 'aria-labelledby': 'adding-title' },
      element('h2', { id: 'adding-title' }, 'Add photos'),
      element('div', { class: 'drop' }, element('p', {}, 'Drop photos, videos or folders of them anywhere on this page, or choose some.'),
        element('button', { type: 'button', class: 'main', id: 'choose-photos', click: () => input.click() }, 'Choose photos'), input),
      this.#hint, this.#reading, this.#refused, this.#place);
    this.#listen();
    const known = running.get(id);
    if (known) this.#show(known);
    this.#remind();
  }

  end() {
    this.#ended.abort();
  }

  // The whole page takes files, unless a dialog is open.
  #listen() {
    const { signal } = this.#ended;
    const withFiles = (deed) => (event) => {
      if (!event.dataTransfer?.types.includes('Files') || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      deed(event);
      this.section.classList.toggle('is-over', this.#depth > 0);
    };
    const on = (name, deed) => document.addEventListener(name, withFiles(deed), { signal });
    on('dragenter', () => (this.#depth += 1));
    on('dragleave', () => (this.#depth = Math.max(0, this.#depth - 1)));
    on('dragover', (event) => (event.dataTransfer.dropEffect = 'copy'));
    on('drop', (event) => {
      this.#depth = 0;
      const folders = [];
      const files = [];
      for (const item of event.dataTransfer.items) {
        if (item.kind !== 'file') continue;
        const entry = item.webkitGetAsEntry?.();
        const file = item.getAsFile();
        if (entry?.isDirectory) folders.push(entry);
        else if (file) files.push(file);
      }
      this.#take(files, folders);
    });
  }

  // A file by itself that is not taken is named. In a folder there may be many, which are counted.
  async #take(files, folders = []) {
    const inside = await this.#inside(folders);
    const chosen = [...files.filter((file) => typeOf(file)), ...inside.files];
    const taken = chosen.filter((file) => file.size > 0).map((file) => ({ file, type: typeOf(file) }));
    this.#refuse(files.filter((file) => !typeOf(file)), chosen.filter((file) => file.size === 0), folders, inside);
    if (!taken.length) return;
    await attempt(async () => {
      this.#loading ??= import('./upload.js');
      try {
        const { Uploads } = await this.#loading;
        if (!running.has(this.#id)) running.set(this.#id, new Uploads(this.#id));
      } catch (failure) {
        // It is loaded anew the next time.
        this.#loading = null;
        throw failure;
      }
      this.#show(running.get(this.#id));
      this.#uploads.add(taken);
      this.#hint.hidden = true;
    });
  }

  async #inside(folders) {
    if (!folders.length) return { files: [], others: 0, unreadable: 0, isMore: false };
    const tell = (count) => (this.#reading.textContent = `Looking through ${named(folders)}: ${counted(count, 'photo or video', 'photos and videos')} so far …`);
    tell(0);
    this.#reading.hidden = false;
    try {
      return await filesIn(folders, typeOf, tell);
    } finally {
      this.#reading.hidden = true;
    }
  }

  #show(uploads) {
    this.#uploads = uploads;
    this.#place.replaceChildren(uploads.view);
  }

  #refuse(others, empty, folders, inside) {
    const sentences = [
      others.length && `${named(others)}: ${others.length === 1 ? 'this is no picture' : 'these are no pictures'} of a kind that is taken here.`,
      empty.length && `${named(empty)}: there is nothing in it.`,
      folders.length && !inside.files.length && !inside.isMore && `${named(folders)}: there is no photo or video in it.`,
      inside.others && `${named(folders)}: ${passed(inside.others)}`,
      inside.unreadable && `${named(folders)}: ${counted(inside.unreadable, 'file', 'files')} could not be read. Look whether this browser may.`,
      inside.isMore && `${named(folders)}: the first ${counted(inside.files.length, 'photo or video is', 'photos and videos are')} taken: there is more in it than is looked at for one drop. Drop the other folders afterwards.`,
    ].filter(Boolean);
    this.#refused.textContent = sentences.join(' ');
    this.#refused.hidden = !sentences.length;
  }

  // A page that was loaded anew cannot read files by itself.
  #remind() {
    const names = this.#uploads ? [] : interrupted(this.#id);
    this.#hint.hidden = !names.length;
    this.#hint.textContent = names.length
      ? `${counted(names.length, 'upload was', 'uploads were')} interrupted. Choose the same ${names.length === 1 ? 'file' : 'files'} again and the rest is sent: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`
      : '';
  }
}
