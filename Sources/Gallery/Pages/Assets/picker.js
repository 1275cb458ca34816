// Picking, whose scripts are loaded when a guest is about to pick, or has picked before.

import { noConnection } from './say.js';
import { learn, text } from './text.js';
import { make } from './tile.js';

export function styled(name) {
  return new Promise((resolve, reject) => {
    const link = make('link', { rel: 'stylesheet', href: new URL(name, import.meta.url).href });
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error(`there is no ${name}`));
    };
    document.head.append(link);
  });
}

export class Picker {
  #loading = null;
  #marks = null;

  // Told when others are picked.
  changed = () => {};

  constructor(list, finder) {
    Object.assign(this, { list, finder });
    const { root } = list.wall;
    const key = `picks ${list.path}`;
    let isTried = false;
    const prepare = () => {
      if (isTried) return;
      isTried = true;
      this.#load().catch(() => {
        // Whoever presses a button for it is told. With a connection there is another try.
        addEventListener('online', () => (isTried = false), { once: true });
      });
    };
    // Not by coming near alone: a mouse may be there before this script is.
    root.addEventListener('pointermove', ({ pointerType }) => pointerType === 'mouse' && prepare());
    root.addEventListener('focusin', prepare);
    addEventListener('storage', (change) => change.key === key && prepare());
    for (const [id, deed] of [['open-picks', (marks) => marks.turn()], ['open-download', (marks) => marks.takeHome(null)]]) {
      const button = document.getElementById(id);
      if (!button) continue;
      button.hidden = !window.HTMLDialogElement;
      button.onclick = (click) => {
        click.preventDefault();
        this.#load().then(deed, noConnection);
      };
    }
    try {
      if (localStorage.getItem(key)) prepare();
    } catch {
      // A browser that stores nothing has no picks of before.
    }
  }

  async #load() {
    if (!window.HTMLDialogElement) throw new Error('this browser has no dialogs');
    this.#loading ??= this.#begun();
    try {
      return await this.#loading;
    } catch (problem) {
      this.#loading = null;
      throw problem;
    }
  }

  async #begun() {
    const [{ Marks }, { Picks }] = await Promise.all([import('./marks.js'), import('./picks.js'), learn('picks'), styled('picks.css')]);
    this.#marks = new Marks(this.list, this.finder, new Picks(this.list.path), () => this.changed());
    return this.#marks;
  }

  has(id) { return Boolean(this.#marks?.picks.has(id)); }
  toggle(photo) { this.#load().then((marks) => marks.toggle(photo), noConnection); }
  // Another list is shown.
  renew() { this.#marks?.show(); }
  // A photo is there, perhaps again; or not any more.
  find(photo) { this.#marks?.picks.find(photo); }
  lose(id) { this.#marks?.picks.lose(id); }
}
