// Rows of the panel in which guests bring photos and videos: of a file that is on its way, and of what the server has.

import { number, text } from './text.js';
import { make } from './tile.js';

const GOING = { waiting: 'bring.queued', sending: 'bring.sending', sent: 'bring.working', failed: 'bring.failed' };
const BROUGHT = {
  coming: 'bring.coming', working: 'bring.working', waiting: 'bring.waiting', shown: 'bring.shown', refused: 'bring.refused', there: 'bring.there',
  full: 'bring.full', failed: 'bring.failed',
};

class Row {
  constructor(name, ...between) {
    this.words = make('p', { class: 'state' });
    this.deeds = make('div', { class: 'deeds' });
    this.item = make('li', {},
      make('div', { class: 'about' }, make('p', { class: 'name' }, make('bdi', {}, name)), ...between, this.words), this.deeds);
  }

  button(words, label, deed) {
    const button = make('button', { type: 'button', 'aria-label': label }, words);
    button.onclick = deed;
    this.deeds.append(button);
    return button;
  }
}

export class Going extends Row {
  constructor({ name, size }, { retry, cancel }) {
    const bar = make('progress', { max: size || 1, value: 0, 'aria-label': name });
    super(name, bar);
    Object.assign(this, { name, bar, size });
    this.retry = this.button(text('bring.retry'), text('bring.retryThis', { name }), retry);
    this.cancel = this.button('', '', cancel);
  }

  // One that `canRetry` is false of is the same the next time.
  show(state, words, canRetry = true) {
    const hadFocus = this.item.contains(document.activeElement);
    this.item.dataset.state = state;
    this.words.textContent = words || text(GOING[state], { percent: '' }).trim();
    if (state === 'sending' && !words) this.progress(this.bar.value);
    this.retry.hidden = state !== 'failed' || !canRetry;
    this.cancel.hidden = state === 'sent';
    // Of what is not on its way there is nothing to cancel.
    const [deed, label] = state === 'failed' ? ['bring.remove', 'bring.removeThis'] : ['bring.cancel', 'bring.cancelThis'];
    this.cancel.textContent = text(deed);
    this.cancel.setAttribute('aria-label', text(label, { name: this.name }));
    this.bar.hidden = state === 'failed';
    // What had the focus is gone: it is at what can be pressed now.
    if (hadFocus && document.activeElement === document.body) this.cancel.focus();
  }

  progress(offset) {
    this.bar.value = offset;
    const percent = number(offset / Math.max(1, this.size), { style: 'percent' });
    this.words.textContent = text('bring.sending', { percent });
  }
}

export class Brought extends Row {
  constructor({ filename, state }, takeBack) {
    const name = filename ?? '';
    super(name);
    let isSure = false;
    const ask = (isAsked) => {
      isSure = isAsked;
      this.remove.textContent = text(isAsked ? 'bring.really' : 'bring.remove');
      this.remove.setAttribute('aria-label', isAsked ? `${text('bring.really')} ${name}` : text('bring.removeThis', { name }));
    };
    this.remove = this.button(text('bring.remove'), text('bring.removeThis', { name }), () => {
      // What guests may be looking at is asked about.
      if (isSure || !['shown', 'waiting'].includes(this.state)) return takeBack();
      ask(true);
      // Not all browsers give the focus to what is pressed.
      this.remove.focus();
    });
    // Turning to something else is a no.
    this.remove.onblur = () => ask(false);
    this.show(state);
  }

  show(state) {
    this.state = state;
    this.item.dataset.state = state;
    this.words.textContent = text(BROUGHT[state] ?? 'bring.working');
    // In a moment.
    this.remove.hidden = state === 'working';
  }
}
