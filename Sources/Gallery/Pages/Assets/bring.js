// A guest's own photos and videos: chosen, on their way, and what has become of them. It is loaded when a guest presses the
// button for it, and goes on while its panel is closed.

import { Brought, Going } from './broughtrow.js';
import { closeOnBackdrop } from './backdrop.js';
import { name } from './guestname.js';
import { styled } from './picker.js';
import { say } from './say.js';
import { sized } from './sized.js';
import { learn, text } from './text.js';
import { make } from './tile.js';
import { LOST, Transfer } from './tus.js';
import { fingerprint, interrupted } from './unfinished.js';
import { within } from './within.js';

const AT_ONCE = 2;
// What the server works on is there soon; a host takes longer.
const SOON = 2000;
const LATER = 15000;
// An answer that takes longer is not worth waiting for.
const PATIENCE = 30000;

// Browsers know no types of some of them.
const ENDS = {
  jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', heic: 'image/heic', heif: 'image/heif', tif: 'image/tiff', tiff: 'image/tiff',
  dng: 'image/x-adobe-dng', mp4: 'video/mp4', m4v: 'video/mp4', mov: 'video/quicktime', qt: 'video/quicktime',
};
// Until the server has said what it takes.
const TERMS = { types: [...new Set(Object.values(ENDS))], mostBytes: Infinity, mostVideoBytes: Infinity };
const isVideo = (type) => type?.startsWith('video/');

function typeOf({ name, type }, types) {
  const known = types.includes(type) ? type : ENDS[/\.(\w+)$/.exec(name)?.[1].toLowerCase()];
  return types.includes(known) ? known : null;
}

// What is said of a file that the server does not take.
const REFUSALS = { 402: 'bring.full', 429: 'bring.tooMany', [LOST]: 'bring.cookies' };
// Of one it is so of all.
const FOR_ALL = [402, LOST];
// The PIN was changed, the event is over, or its hosts take no more: what the server says of guests' uploads tells which.
const DOOR = [401, 403, 410];
// With the door open after each.
const MOST_REFUSALS = 2;

async function asked(place, method = 'GET') {
  const answer = await fetch(place, { method, headers: { Accept: 'application/json' }, signal: within(PATIENCE) });
  if (!answer.ok) throw Object.assign(new Error(`${place} was answered with ${answer.status}`), { status: answer.status });
  return answer;
}

// What phones let guests choose from. Of other images most make a JPEG.
const accepted = (types) => ['image/*', ...types.filter(isVideo)].join();

class Bringing {
  // From here, and not with the server whole.
  #going = [];
  // Rows of what the server has, by the upload.
  #brought = new Map();
  // Of what is chosen until nothing is on its way: how many files are to come, and how many of them are here.
  #batch = null;
  #terms = null;
  #asking = null;
  #timer = null;
  #question = 0;
  #pause = SOON;
  #seen = '';
  // Nothing is sent while the server does not let this page in.
  #isShut = false;
  #box = null;

  constructor() {
    const { path } = document.querySelector('main').dataset;
    this.place = `${path}/uploads`;
    this.event = `guest ${path}`;
    this.way = { path: `${this.place}/tus`, about: () => ({ guest: this.name.value.trim() }), authorized: (send) => send(null) };
    this.hint = make('p', { class: 'hint' });
    this.name = make('input', { id: 'bring-name', maxlength: 50, autocomplete: 'nickname', dir: 'auto' });
    this.name.value = name();
    this.name.onchange = () => name(this.name.value.trim());
    this.files = make('input', { type: 'file', id: 'bring-files', multiple: true, accept: accepted(TERMS.types), hidden: true });
    this.files.onchange = () => {
      const chosen = [...this.files.files];
      // The same file once more is a change, too.
      this.files.value = '';
      this.#add(chosen);
    };
    this.choose = make('button', { type: 'button', class: 'main', id: 'bring-choose' }, text('bring.choose'));
    this.choose.onclick = () => this.files.click();
    this.problem = make('p', { class: 'problem', role: 'alert' });
    this.rows = make('ul', { role: 'list', class: 'brought' });
    addEventListener('online', () => this.#ask());
    // The wall would load the page again, and with it what was chosen would be gone.
    addEventListener('door', (door) => {
      if (!this.#isBusy) return;
      door.preventDefault();
      this.#ask();
    });
    addEventListener('beforeunload', (leaving) => {
      if (!this.#isBusy) return;
      leaving.preventDefault();
      // Browsers of some years ago ask by this alone.
      leaving.returnValue = true;
    });
  }

  get #isBusy() { return this.#going.some(({ state }) => ['waiting', 'sending'].includes(state)); }

  open() {
    const close = make('button', { type: 'button' }, text('wall.close'));
    close.onclick = () => this.#box.close();
    this.#box = make('dialog', { class: 'panel bring', 'aria-labelledby': 'bring-title' },
      make('h2', { id: 'bring-title' }, text('bring.title')), this.hint,
      make('div', { class: 'chooser' }, make('label', { for: 'bring-name' }, text('bring.name')), this.name, this.files, this.choose),
      this.problem, this.rows, make('div', { class: 'deeds' }, close));
    closeOnBackdrop(this.#box);
    this.#box.onclose = () => {
      // What was said in it is not to go with it.
      if (this.#box.querySelector('#status')) say('', false);
      this.#box.remove();
    };
    document.body.append(this.#box);
    this.#box.showModal();
    this.choose.focus();
    this.#remind();
    this.#ask();
  }

  // A page that was loaded anew cannot read files by itself.
  #remind() {
    const count = this.#going.length ? 0 : interrupted(this.event).length;
    const { isModerated, mostVideoBytes } = this.#terms ?? {};
    this.hint.textContent = [
      this.#terms && text(isModerated ? 'bring.moderated' : 'bring.atOnce'), mostVideoBytes && text('bring.videos', { size: sized(mostVideoBytes) }),
      count && text('bring.interrupted', { count }),
    ].filter(Boolean).join(' ');
  }

  #mostOf(type) {
    const { mostBytes, mostVideoBytes } = this.#terms ?? TERMS;
    return isVideo(type) ? mostVideoBytes : mostBytes;
  }

  // What has become of those that are with the server, and whether it takes more.
  async #ask() {
    clearTimeout(this.#timer);
    const mine = (this.#question += 1);
    try {
      const { data: terms } = await (await asked(this.place)).json();
      if (mine !== this.#question) return;
      this.#terms = terms;
      this.#isShut = false;
      this.#show(terms);
      if (!terms.isOpen) this.#refuse();
      this.#fill();
    } catch (problem) {
      if (mine !== this.#question) return;
      if (DOOR.includes(problem.status)) this.#shut();
      else if (!this.#terms) this.#warn(text('wall.noConnection'));
    }
    this.#askAgain();
  }

  // While nothing moves, less and less often.
  #askAgain() {
    const states = [...this.#brought.values()].map(({ state }) => state);
    const seen = [...this.#brought.keys(), ...states].join();
    this.#pause = seen === this.#seen ? Math.min(LATER, this.#pause * 1.5) : SOON;
    this.#seen = seen;
    const isSoon = states.includes('working') && !this.#isShut;
    const isLater = this.#isShut || (this.#box?.open && (states.includes('waiting') || !this.#terms));
    if (isSoon || isLater) this.#timer = setTimeout(() => this.#ask(), isSoon ? this.#pause : LATER);
  }

  // An alert is read out each time that it is written.
  #warn(words) {
    if (this.problem.textContent === words) return;
    this.problem.textContent = words;
    if (words && !this.#box?.open) say(words);
  }

  // The page itself says why; what was chosen would be gone with it.
  #shut() {
    if (!this.#isBusy) return location.reload();
    this.#isShut = true;
    for (const item of this.#going) item.refusals = 0;
    this.#warn(text('bring.doorChanged'));
  }

  #refuse() {
    for (const item of this.#going.filter(({ state }) => state === 'waiting')) this.#move(item, 'failed', text('bring.closed'));
  }

  #show({ isOpen, isFull, types, uploads }) {
    this.#warn(!isOpen ? text('bring.closed') : isFull ? text('bring.full') : '');
    this.choose.hidden = !isOpen;
    this.files.accept = accepted(types);
    this.name.parentElement.classList.toggle('closed', !isOpen);
    this.#remind();
    const going = new Set(this.#going.filter(({ state }) => state !== 'sent').map(({ transfer }) => transfer.id));
    const named = new Set(uploads.map(({ uploadId }) => uploadId));
    for (const [id, row] of this.#brought) if (!named.has(id)) this.#lose(id, row);
    // The last one first, below those that are on their way.
    for (const upload of [...uploads].reverse()) {
      if (going.has(upload.uploadId)) continue;
      const known = this.#brought.get(upload.uploadId);
      if (known) known.show(upload.state);
      else {
        const row = new Brought(upload, () => this.#takeBack(upload.uploadId));
        this.#brought.set(upload.uploadId, row);
        const first = [...this.#brought.values()].at(-2)?.item;
        this.rows.insertBefore(row.item, first ?? null);
      }
    }
    for (const item of this.#going.filter(({ state, transfer }) => state === 'sent' && named.has(transfer.id))) this.#drop(item);
  }

  #lose(id, row) {
    if (row.item.contains(document.activeElement)) this.choose.focus();
    row.item.remove();
    this.#brought.delete(id);
  }

  #drop(item) {
    if (item.state !== 'sent' && item.batch) item.batch.total -= 1;
    this.#going = this.#going.filter((other) => other !== item);
    if (item.row.item.contains(document.activeElement)) this.choose.focus();
    item.row.item.remove();
  }

  // On their way

  #add(files) {
    const { types } = this.#terms ?? TERMS;
    if (!this.#isBusy) this.#batch = { here: 0, total: 0 };
    for (const file of files) {
      const old = this.#going.find((item) => fingerprint(item.file) === fingerprint(file));
      if (old && old.state !== 'failed') continue;
      if (old) this.#drop(old);
      const type = typeOf(file, types);
      const item = { file, type, state: 'waiting', leave: null, refusals: 0, batch: null };
      item.row = new Going(file, { retry: () => this.#retry(item), cancel: () => this.#cancel(item) });
      item.transfer = new Transfer(this.event, file, type, {
        sent: (offset) => item.row.progress(offset),
        waits: ({ status }) => item.row.show('sending', text(status === 429 ? 'bring.tooMany' : 'bring.again')),
      }, this.way);
      this.#going.push(item);
      const behind = this.#brought.size ? [...this.#brought.values()].at(-1).item : null;
      this.rows.insertBefore(item.row.item, behind);
      const wrong = this.#wrong(file, type);
      if (!wrong) {
        item.batch = this.#batch;
        item.batch.total += 1;
      }
      this.#move(item, wrong ? 'failed' : 'waiting', wrong, !wrong);
      // Of what it had begun before, the server has a row already.
      const known = this.#brought.get(item.transfer.id);
      if (known) this.#lose(item.transfer.id, known);
    }
    this.#remind();
    this.#fill();
  }

  #move(item, state, words, canRetry) {
    item.state = state;
    item.row.show(state, words, canRetry);
  }

  // The first one brings the cookie by which the server knows this browser, and goes alone until then.
  #fill() {
    if (this.#isShut) return;
    const isKnown = this.#brought.size > 0 || this.#going.some(({ transfer }) => transfer.id);
    const sending = this.#going.filter(({ state }) => state === 'sending').length;
    const room = Math.max(0, (isKnown ? AT_ONCE : 1) - sending);
    for (const item of this.#going.filter(({ state }) => state === 'waiting').slice(0, room)) this.#send(item);
  }

  async #send(item) {
    this.#move(item, 'sending');
    item.leave = new AbortController();
    const { signal } = item.leave;
    try {
      await item.transfer.send(signal);
      if (signal.aborted) return;
      this.#move(item, 'sent');
      item.transfer.done();
      item.batch.here += 1;
      say(text('bring.here', item.batch), false);
      this.#ask();
    } catch (problem) {
      if (signal.aborted) return;
      if (!problem.isExpected) console.error(problem);
      this.#failed(item, problem);
    }
    this.#fill();
  }

  #failed(item, { status, code }) {
    // Of an upload that is over nothing is left to go on with.
    if (status === 410) item.transfer.restart();
    if (DOOR.includes(status) && (item.refusals += 1) <= MOST_REFUSALS) {
      this.#isShut = true;
      this.#move(item, 'waiting');
      this.#ask();
      return;
    }
    const words = this.#why(item, code, status);
    const those = FOR_ALL.includes(status) || FOR_ALL.includes(code) ? this.#going.filter(({ state }) => state === 'waiting') : [];
    for (const one of [item, ...those]) this.#move(one, 'failed', words, ![413, 422].includes(status));
    say(words, false);
    if (status === 402) this.#ask();
  }

  // What is wrong with a file before any of it is sent; nothing where nothing is known.
  #wrong({ size }, type) {
    const most = this.#mostOf(type);
    if (!type) return text('bring.noPhoto');
    return size > most ? text('bring.tooLarge', { size: sized(most) }) : size ? null : text('bring.failed');
  }

  // What the server has not taken may be what it takes by now: it is held against what it says today.
  #why({ file, type }, code, status) {
    return this.#wrong(file, type) ?? text(REFUSALS[code] ?? REFUSALS[status] ?? (status ? 'bring.failed' : 'wall.noConnection'));
  }

  #retry(item) {
    item.refusals = 0;
    this.#move(item, 'waiting');
    this.#fill();
  }

  async #cancel(item) {
    item.leave?.abort(new DOMException('It is not wanted any more.', 'AbortError'));
    this.#drop(item);
    this.#fill();
    try {
      await item.transfer.giveUp();
    } catch (problem) {
      // What is there of it goes by itself when its time ends.
      if (!problem.isExpected && problem.name !== 'TimeoutError') console.error(problem);
    }
  }

  async #takeBack(id) {
    try {
      await asked(`${this.place}/${id}`, 'DELETE');
      say(text('bring.removed'), false);
    } catch (problem) {
      // Whether it is the door, asking tells.
      if (DOOR.includes(problem.status)) return this.#ask();
      if (problem.status !== 404) return say(text('wall.noConnection'));
    }
    const row = this.#brought.get(id);
    if (row) this.#lose(id, row);
  }
}

let bringing = null;

export async function bring() {
  await Promise.all([learn('wall'), learn('bring'), bringing ? null : styled('bring.css').catch(() => {})]);
  bringing ??= new Bringing();
  bringing.open();
}
