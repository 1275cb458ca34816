// One file of those that are uploaded, as its host sees it.

import { wait } from './api.js';
import { element, size } from './markup.js';

export const unsent = ['asking', 'waiting', 'sending', 'paused'];

const words = {
  asking: 'Is asked for once more.', waiting: 'Waits for its turn.', sending: '', working: 'Is sent, and becomes a photo.', paused: 'Paused.', failed: '', here: 'Is here.',
};

export class Row {
  #state = element('p', { class: 'hint' });
  #bar;
  #hold;
  #retry;
  #cancel;
  #size;
  #until = 0;

  constructor(file, { hold, retry, cancel }) {
    this.#size = file.size;
    this.#bar = element('progress', { max: file.size, value: 0, 'aria-label': file.name });
    const button = (label, deed) => element('button', { type: 'button', click: deed, 'aria-label': `${label} ${file.name}` }, label);
    this.#hold = button('Pause', hold);
    this.#retry = button('Try again', retry);
    this.#cancel = button('Cancel', cancel);
    this.item = element('li', {},
      element('div', { class: 'about' }, element('p', { dir: 'auto' }, file.name), this.#bar, this.#state),
      element('div', { class: 'deeds' }, this.#hold, this.#retry, this.#cancel));
    this.item.dataset.file = file.name;
  }

  show(state, text) {
    this.item.dataset.state = state;
    this.#until = 0;
    this.#state.textContent = text || words[state];
    this.#state.classList.toggle('problem', state === 'failed');
    this.#state.classList.toggle('hint', state !== 'failed');
    const label = state === 'paused' ? 'Go on' : 'Pause';
    if (this.#hold.textContent !== label) {
      this.#hold.textContent = label;
      this.#hold.setAttribute('aria-label', `${label} ${this.item.dataset.file}`);
    }
    const shown = { hold: unsent, retry: ['failed'], cancel: [...unsent, 'failed'] };
    const focused = this.item.contains(document.activeElement);
    this.#hold.hidden = !shown.hold.includes(state);
    this.#retry.hidden = !shown.retry.includes(state);
    this.#cancel.hidden = !shown.cancel.includes(state);
    this.#bar.hidden = state === 'here' || state === 'failed';
    // What had the focus is gone: it is at what can be pressed now.
    if (focused && document.activeElement === document.body) {
      [this.#retry, this.#hold, this.#cancel].find((button) => !button.hidden)?.focus();
    }
  }

  progress(offset) {
    this.#bar.value = offset;
    if (performance.now() < this.#until) return;
    this.#state.textContent = `${size(offset)} of ${size(this.#size)}`;
  }

  // It goes on by itself.
  waits(message, milliseconds) {
    this.#until = performance.now() + milliseconds;
    this.#state.textContent = `${message} Tries again ${wait(Math.max(1, Math.round(milliseconds / 1000)))}.`;
  }
}
