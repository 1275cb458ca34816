// The files that a host has dropped on an event, on their way there: three at a time, each until it is a photo.

import { api, Problem } from './api.js';
import { counted, element, size } from './markup.js';
import { Transfer } from './tus.js';
import { fingerprint } from './unfinished.js';
import { Row, unsent } from './uploadrow.js';

const atOnce = 3;
const lookPause = 1500;
const mostAsked = 50;
// Those with which something may be done stay; of the others the last ones.
const mostSettled = 20;
const sayPause = 8000;
// What the server says of one is so for all of them.
const forAll = [402, 403];

export class Uploads {
  #event;
  #items = [];
  #isPaused = false;
  #because = '';
  #looking = null;
  #saidAt = 0;
  #saying = null;
  #total = element('p', { class: 'totals' });
  #said = element('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  #bar = element('progress', { max: 1, value: 0, 'aria-label': 'All uploads' });
  #list = element('ul', { class: 'uploads' });
  #problem = element('p', { class: 'problem', role: 'alert', hidden: true });
  #hold = element('button', { type: 'button', id: 'hold-uploads', click: () => (this.#isPaused ? this.#resume() : this.#pause('')) }, 'Pause all');
  #retry = element('button', { type: 'button', id: 'retry-uploads', hidden: true, click: () => this.#retryAll() }, 'Try all again');
  #clear = element('button', { type: 'button', id: 'clear-uploads', click: () => this.#clearAll() }, 'Cancel all');

  constructor(event) {
    this.#event = event;
    this.view = element('div', { class: 'under-way' }, this.#total, this.#bar, this.#said, this.#problem,
      element('div', { class: 'deeds' }, this.#hold, this.#retry, this.#clear), this.#list);
    addEventListener('beforeunload', (leaving) => {
      if (!this.#count(...unsent)) return;
      leaving.preventDefault();
      // Browsers of some years ago ask by this alone.
      leaving.returnValue = true;
    });
  }

  add(files) {
    // One that has failed begins anew where it is chosen once more.
    const chosen = new Set(files.map(({ file }) => fingerprint(file)));
    for (const item of this.#items) {
      if (item.state !== 'failed' || !chosen.has(fingerprint(item.file))) continue;
      item.state = 'cancelled';
      item.row?.item.remove();
    }
    const under = new Set(this.#items.filter(({ state }) => !['here', 'cancelled'].includes(state)).map(({ file }) => fingerprint(file)));
    for (const { file, type } of files) {
      // Dropped twice, it is on its way already.
      if (under.has(fingerprint(file))) continue;
      under.add(fingerprint(file));
      const item = { file, type, state: 'waiting', sent: 0, row: null, leave: null };
      item.transfer = new Transfer(this.#event, file, type, {
        sent: (offset) => {
          item.sent = offset;
          item.row?.progress(offset);
          this.#show();
        },
        waits: (problem, milliseconds) => item.row?.waits(problem.message, milliseconds),
      }, { path: '/uploads/tus', about: () => ({ event: this.#event }), authorized: api.authorized });
      this.#items.push(item);
    }
    this.#fill();
  }

  #count(...states) { return this.#items.filter(({ state }) => states.includes(state)).length; }

  // As many as may be sent.
  #fill() {
    const room = this.#isPaused ? 0 : Math.max(0, atOnce - this.#count('sending'));
    for (const item of this.#items.filter(({ state }) => state === 'waiting').slice(0, room)) this.#send(item);
    this.#show();
  }

  #move(item, state, words = '') {
    item.state = state;
    item.row ??= this.#rowOf(item);
    item.row.show(state, words);
    this.#trim();
  }

  #rowOf(item) {
    const row = new Row(item.file, {
      hold: () => this.#holdOne(item), retry: () => this.#again(item), cancel: () => this.#cancel(item),
    });
    this.#list.append(row.item);
    return row;
  }

  async #send(item) {
    this.#move(item, 'sending');
    const leave = new AbortController();
    item.leave = leave;
    try {
      await item.transfer.send(leave.signal);
      if (leave.signal.aborted) return;
      this.#move(item, 'working');
      this.#look();
    } catch (problem) {
      // Its host has paused it or given it up, which is shown already.
      if (leave.signal.aborted) return;
      this.#failed(item, problem);
    }
    this.#fill();
  }

  #failed(item, problem) {
    if (!problem.isExpected) console.error(problem);
    if (problem.isLoggedOut || forAll.includes(problem.status)) {
      this.#move(item, 'waiting', '');
      this.#pause(problem.isLoggedOut ? 'Log in again, and go on.' : problem.message);
    } else {
      this.#move(item, 'failed', problem.message);
    }
  }

  // What has become of those that are there. A list for all, since there may be hundreds.
  #look() {
    this.#looking ??= setTimeout(async () => {
      const asked = this.#items.filter(({ state }) => state === 'working').slice(0, mostAsked);
      try {
        const states = asked.length ? await api.get(`/uploads/status?ids=${asked.map(({ transfer }) => transfer.id).join()}`) : [];
        for (const item of asked) {
          await this.#end(item, states.find(({ uploadId }) => uploadId === item.transfer.id));
        }
      } catch (problem) {
        if (!problem.isExpected) console.error(problem);
        if (problem.isLoggedOut) this.#pause('Log in again, and go on.');
      }
      this.#looking = null;
      if (this.#count('working') && !this.#isPaused) this.#look();
      this.#show();
    }, lookPause);
  }

  async #end(item, state) {
    if (state?.status === 'completed') {
      const { isThereAlready } = await api.get(`/uploads/tus/${item.transfer.id}`);
      item.transfer.done();
      this.#move(item, 'here', isThereAlready ? 'Is there already.' : '');
    } else if (state?.status === 'failed') {
      item.transfer.done();
      this.#move(item, 'failed', state.errorMessage ? `${state.errorMessage[0].toUpperCase()}${state.errorMessage.slice(1)}.` : 'It became no photo.');
    } else if (!state) {
      item.transfer.done();
      this.#move(item, 'failed', 'The server does not know it any more.');
    }
  }

  // What is pressed

  #holdOne(item) {
    if (item.state === 'paused') {
      this.#move(item, 'waiting');
    } else {
      this.#move(item, 'paused');
      item.leave?.abort(new Problem('Paused.'));
    }
    this.#fill();
  }

  #pause(because) {
    this.#isPaused = true;
    this.#because = because;
    for (const item of this.#items.filter(({ state }) => state === 'sending')) {
      this.#move(item, 'waiting');
      item.leave.abort(new Problem('Paused.'));
    }
    this.#show();
  }

  #resume() {
    this.#isPaused = false;
    this.#because = '';
    this.#fill();
    if (this.#count('working')) this.#look();
  }

  // Bytes that are there and failed for a cause that passes are worked on again; others are sent anew.
  async #again(item) {
    if (item.transfer.offset === item.file.size && item.transfer.id) {
      // Not waiting yet: it would be sent by the next that has room.
      this.#move(item, 'asking');
      this.#show();
      const isTaken = await this.#askAgain(item);
      // It was paused or cancelled meanwhile.
      if (item.state !== 'asking') return;
      if (isTaken) {
        this.#move(item, 'working');
        this.#look();
        return this.#show();
      }
      item.transfer.restart();
      item.sent = 0;
    }
    this.#move(item, 'waiting');
    this.#fill();
  }

  async #askAgain(item) {
    try {
      await api.post(`/uploads/events/${this.#event}/${item.transfer.id}/retry`);
      return true;
    } catch (problem) {
      if (!problem.isExpected) console.error(problem);
      return false;
    }
  }

  #retryAll() {
    for (const item of this.#items.filter(({ state }) => state === 'failed')) this.#again(item);
  }

  async #cancel(item) {
    const next = item.row.item.nextElementSibling?.querySelector('button') ?? this.#clear;
    const hadFocus = item.row.item.contains(document.activeElement);
    const was = item.state;
    item.state = 'cancelled';
    item.leave?.abort(new Problem('Cancelled.'));
    item.row.item.remove();
    if (hadFocus) next.focus();
    this.#fill();
    // Of one that failed halfway the server has some bytes yet.
    if (was === 'here' || (was === 'failed' && item.transfer.offset === item.file.size)) return;
    try {
      await item.transfer.giveUp();
    } catch (problem) {
      // What is there of it goes by itself when its time ends.
      if (!problem.isExpected && problem.name !== 'TimeoutError') console.error(problem);
    }
  }

  #clearAll() {
    for (const item of this.#items.filter(({ state }) => [...unsent, 'failed'].includes(state))) {
      item.row ??= this.#rowOf(item);
      this.#cancel(item);
    }
    this.#resume();
  }

  // What is shown

  #trim() {
    const settled = this.#items.filter(({ state, row }) => state === 'here' && row);
    for (const item of settled.slice(0, Math.max(0, settled.length - mostSettled))) {
      if (item.row.item.contains(document.activeElement)) this.#hold.focus();
      item.row.item.remove();
      item.row = null;
    }
  }

  #show() {
    const those = this.#items.filter(({ state }) => state !== 'cancelled');
    const bytes = those.reduce((sum, { file }) => sum + file.size, 0);
    const sent = those.reduce((sum, { file, sent: some, state }) => sum + (state === 'here' || state === 'working' ? file.size : some), 0);
    const here = this.#count('here');
    const failed = this.#count('failed');
    const open = this.#count(...unsent);
    const words = [
      `${here.toLocaleString('en')} of ${counted(those.length, 'photo is', 'photos are')} here`, `${size(sent)} of ${size(bytes)} sent`,
      failed && `${failed.toLocaleString('en')} failed`, this.#isPaused && 'paused',
    ].filter(Boolean).join(' · ');
    this.view.hidden = !those.length;
    this.#total.textContent = words;
    this.#bar.value = bytes ? sent / bytes : 0;
    this.#hold.textContent = this.#isPaused ? 'Go on' : 'Pause all';
    this.#hold.hidden = !open && !this.#isPaused;
    this.#retry.hidden = failed < 2;
    this.#clear.hidden = !open && !failed;
    this.#problem.textContent = this.#because;
    this.#problem.hidden = !this.#because;
    this.#say(words, !open && !this.#count('working'));
  }

  // A screen reader is told now and then, and of the end.
  #say(words, isEnd) {
    clearTimeout(this.#saying);
    const rest = isEnd ? 0 : Math.max(0, this.#saidAt + sayPause - performance.now());
    this.#saying = setTimeout(() => {
      if (this.#said.textContent === words) return;
      this.#saidAt = performance.now();
      this.#said.textContent = words;
    }, rest);
  }
}
