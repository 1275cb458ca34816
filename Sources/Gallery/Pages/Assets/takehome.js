// Photos to take home, as one ZIP. How large it is is told before; then the browser saves it as it saves every file, so that the
// page holds nothing of it, and a cut download can go on.

import { closeOnBackdrop } from './backdrop.js';
import { gathered } from './mine.js';
import { say } from './say.js';
import { sized } from './sized.js';
import { text } from './text.js';
import { make } from './tile.js';

// An answer that takes longer is not worth waiting for.
const PATIENCE = 30000;

const SIZES = {
  screen: ['picks.screen', 'picks.screenHint'],
  original: ['picks.originals', 'picks.originalsHint'],
};

class Refusal extends Error {
  constructor(answer) {
    super(`${answer.url} was answered with ${answer.status}`);
    this.status = answer.status;
    this.wait = Number(answer.headers.get('Retry-After'));
  }
}

function again(seconds) {
  if (seconds > 0 && seconds < 55) return text('picks.againInSeconds', { count: Math.ceil(seconds) });
  return text('picks.againInMinutes', { count: Math.max(1, Math.round((seconds || 60) / 60)) });
}

// What went wrong, and what to do.
function said(problem) {
  const { status, wait } = problem;
  if (status === 429 || status === 503) return text('picks.tooMany', { again: again(wait) });
  if (status === 413 || status === 422) return text('picks.tooLarge');
  if (status === 404) return text('picks.allGone');
  if (status) return text('picks.failed', { status });
  if (problem.name === 'AbortError') return text('picks.late');
  return text(navigator.onLine ? 'picks.noAnswer' : 'picks.offline');
}

async function asked(address, { signal, ...wishes }) {
  const controller = new AbortController();
  const end = () => controller.abort();
  const late = setTimeout(end, PATIENCE);
  signal.addEventListener('abort', end);
  try {
    const answer = await fetch(address, { ...wishes, signal: controller.signal });
    if (!answer.ok) throw new Refusal(answer);
    return wishes.method === 'HEAD' ? null : (await answer.json()).data;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
  }
}

// Here, by whatever name this page was opened: the link says the gallery's own.
function here(url) {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

class Panel {
  #ending = new AbortController();
  #isBusy = false;

  constructor(list, picks, ids) {
    Object.assign(this, { list, picks, ids });
    // Without picks it is all that the section has, where one is shown.
    this.album = ids ? '' : list.album;
    const section = this.album && document.querySelector('#sections [aria-current] bdi')?.textContent;
    const all = section ? text('picks.downloadSection', { section }) : text('picks.downloadAll');
    const title = make('h2', { id: 'take-title' }, ids ? text('picks.downloadPicks', { count: ids.length }) : all);
    this.told = make('p', { role: 'status' });
    this.choices = make('div', { class: 'choices' });
    this.problem = make('p', { class: 'problem', role: 'alert' });
    this.again = make('button', { type: 'button', hidden: true }, text('picks.tryAgain'));
    this.again.onclick = () => this.#look();
    const close = make('button', { type: 'button' }, text('wall.close'));
    close.onclick = () => this.box.close();
    this.box = make('dialog', { class: 'panel take', 'aria-labelledby': 'take-title' },
      make('div', { class: 'share' }, title, this.told, this.choices, this.problem, make('div', { class: 'deeds' }, this.again, close)));
    closeOnBackdrop(this.box);
    this.box.onclose = () => {
      this.#ending.abort();
      // What was said in it is not to go with it.
      if (this.box.querySelector('#status')) say('', false);
      this.box.remove();
    };
    document.body.append(this.box);
    this.box.showModal();
    close.focus();
    this.#look();
  }

  get #signal() { return this.#ending.signal; }

  // Waits are said, and so is what went wrong; a press meanwhile is not another one.
  async #while(words, deed) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.told.textContent = words;
    this.problem.textContent = '';
    this.#offer(false);
    try {
      await deed();
    } catch (problem) {
      if (this.#signal.aborted) return;
      // The door is another, or the event is over: the page itself says which, unless photos that a guest brings would be lost.
      if ([401, 410].includes(problem.status) && dispatchEvent(new Event('door', { cancelable: true }))) return location.reload();
      this.told.textContent = '';
      this.problem.textContent = said(problem);
      this.#offer(!this.choices.childElementCount);
    } finally {
      this.#isBusy = false;
    }
  }

  #offer(isAgain) {
    const hadFocus = document.activeElement === this.again;
    this.again.hidden = !isAgain;
    if (hadFocus && !isAgain) this.box.querySelector('.deeds button:last-child').focus();
  }

  #look() {
    return this.#while(text('picks.counting'), async () => {
      this.choices.replaceChildren();
      const links = await this.#links();
      const { photos } = links[0];
      this.told.textContent = this.#count(photos);
      if (!photos) return;
      this.choices.append(...links.map((link) => this.#choice(link)));
      if (document.activeElement?.parentElement?.className === 'deeds') this.choices.querySelector('a').focus();
      if (this.ids && photos < this.ids.length) this.#forgetGone();
    });
  }

  async #forgetGone() {
    try {
      await gathered(this.list, this.picks, this.ids);
    } catch {
      // What is gone leaves the picks the next time.
    }
  }

  #count(photos) {
    if (!photos) return text('picks.none');
    if (!this.ids || photos === this.ids.length) return text('picks.inOne', { count: photos });
    return text('picks.stillHere', { count: photos, total: this.ids.length });
  }

  // One for each size that guests of this event are given.
  async #links() {
    const photos = this.ids;
    const ask = (size) => asked(`${this.list.path}/zip-link`, {
      method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json' }, body: JSON.stringify({ size, photos, album: this.album || null }), signal: this.#signal,
    });
    try {
      const links = await Promise.all((this.#mayHaveOriginals ? ['screen', 'original'] : ['screen']).map(ask));
      return links.filter(({ size }, place) => !place || size === 'original');
    } catch (problem) {
      if (problem.status === 403 && dispatchEvent(new Event('door', { cancelable: true }))) location.reload();
      if (problem.status === 404 && photos) this.#forgetGone();
      throw problem;
    }
  }

  // Where no photo is known here, the server is asked.
  get #mayHaveOriginals() {
    const { pieces } = this.list.timeline;
    const known = pieces.find((piece) => piece.photos.length)?.photos[0];
    return !known || Boolean(known.originalUrl);
  }

  #choice({ url, size, bytes }) {
    const [title, hint] = SIZES[size];
    const link = make('a', { class: 'button', href: here(url), download: true, 'data-size': size },
      make('strong', {}, text(title)), make('bdi', {}, sized(bytes)), make('small', {}, text(hint)));
    link.onclick = (click) => {
      if (click.ctrlKey || click.metaKey || click.shiftKey || click.button) return;
      click.preventDefault();
      this.#take(link.getAttribute('href'));
    };
    return link;
  }

  // A refusal is said here, and not by the browser in the page's place.
  #take(href) {
    return this.#while(text('picks.asking'), async () => {
      try {
        await asked(href, { method: 'HEAD', signal: this.#signal });
      } catch (problem) {
        if (problem.status !== 403) throw problem;
        // It is hours old, or the hosts give no originals any more.
        this.#isBusy = false;
        await this.#look();
        if (this.choices.childElementCount) this.problem.textContent = text('picks.oldLink');
        return;
      }
      const link = make('a', { href, download: true, hidden: true });
      this.box.append(link);
      link.click();
      link.remove();
      this.told.textContent = text('picks.begins');
    });
  }
}

export function takeHome(list, picks, ids) {
  // It may be pressed twice while this is loaded.
  if (!document.querySelector('dialog.take')) new Panel(list, picks, ids);
}
