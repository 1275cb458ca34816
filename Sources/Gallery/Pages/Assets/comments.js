// What guests wrote of one photo, and room to write more. It is loaded when a guest asks for it.

import { OF_COMMENTS, refusal, send } from './liking.js';
import { say } from './say.js';
import { locale, text } from './text.js';
import { make } from './tile.js';

const NAME = 'guest name';

// A browser that stores nothing is told the name each time.
function name(value) {
  try {
    if (value === undefined) return localStorage.getItem(NAME) ?? '';
    localStorage.setItem(NAME, value);
  } catch {
    return '';
  }
}

// Not crypto.randomUUID(), which browsers give to https only.
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const moment = (time) => new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });

export class Comments {
  #edits;
  // The same comment, however often it is sent.
  #draft = null;
  #question = 0;

  constructor(liking, photo, closed) {
    Object.assign(this, { liking, list: liking.list, photo });
    this.said = make('ul', { role: 'list' });
    this.none = make('p', { class: 'none', role: 'status' }, text('hearts.looking'));
    this.problem = make('p', { class: 'problem', role: 'alert' });
    const id = (part) => `talk-${part}`;
    this.name = make('input', { id: id('name'), maxlength: 50, required: true, autocomplete: 'nickname', dir: 'auto' });
    this.name.value = name();
    this.text = make('textarea', { id: id('text'), maxlength: 500, required: true, rows: 3, dir: 'auto' });
    const close = make('button', { type: 'button' }, text('wall.close'));
    close.onclick = () => this.close();
    const form = make('form', { novalidate: true }, make('label', { for: id('name') }, text('hearts.yourName')), this.name,
      make('label', { for: id('text') }, text('hearts.yourComment')), this.text, this.problem,
      make('div', { class: 'deeds' }, close, make('button', { class: 'main' }, text('hearts.send'))));
    form.onsubmit = (submit) => {
      submit.preventDefault();
      this.#send();
    };
    const title = make('h2', { id: id('title') }, text('hearts.comments'));
    this.box = make('dialog', { class: 'panel talk', 'aria-labelledby': id('title') }, title, this.said, this.none, form);
    this.box.onclick = ({ target }) => void (target === this.box && this.close());
    this.box.onclose = () => {
      // What was said in it is not to go with it.
      if (this.box.querySelector('#status')) say('', false);
      this.box.remove();
      closed();
    };
    document.body.append(this.box);
    this.box.showModal();
    (this.name.value ? this.text : this.name).focus();
  }

  close() { this.box.close(); }

  // Others have come, or gone.
  renew(edits) {
    if (edits === this.#edits) return;
    this.#edits = edits;
    this.#load();
  }

  async #load() {
    const mine = (this.#question += 1);
    try {
      const { comments } = await this.list.ask(`photos/${this.photo.id}/comments`, { limit: 200 });
      if (mine !== this.#question) return;
      const isAtEnd = this.said.scrollHeight - this.said.scrollTop - this.said.clientHeight < 40;
      this.said.replaceChildren(...comments.map((comment) => this.#item(comment)));
      this.none.textContent = comments.length ? '' : text('hearts.none');
      if (isAtEnd) this.said.scrollTop = this.said.scrollHeight;
    } catch (problem) {
      if (mine !== this.#question) return;
      this.none.textContent = '';
      this.problem.textContent = refusal(problem, OF_COMMENTS);
      // The next message asks again.
      this.#edits = undefined;
    }
  }

  #item({ id, name: who, text: words, createdAt, isMine }) {
    const about = make('p', { class: 'who' }, make('bdi', {}, who), ' ', make('time', { datetime: createdAt }, moment(createdAt)));
    const item = make('li', {}, about, make('p', { class: 'what', dir: 'auto' }, words));
    if (isMine) {
      const remove = make('button', { type: 'button', class: 'remove' }, text('hearts.remove'));
      remove.setAttribute('aria-label', text('hearts.removeThis', { comment: words.slice(0, 60) }));
      remove.onclick = () => this.#remove(id);
      item.append(remove);
    }
    return item;
  }

  async #send() {
    this.problem.textContent = '';
    const [who, words] = [this.name.value.trim(), this.text.value.trim()];
    const missing = !who ? [this.name, text('hearts.noName')] : !words ? [this.text, text('hearts.noText')] : null;
    if (missing) {
      this.problem.textContent = missing[1];
      return missing[0].focus();
    }
    if (this.isSending) return;
    this.isSending = true;
    if (this.#draft?.name !== who || this.#draft.text !== words) this.#draft = { id: uuid(), name: who, text: words };
    name(who);
    try {
      await this.liking.inTurn(() => send(this.list, 'POST', `photos/${this.photo.id}/comments`, this.#draft));
      this.#draft = null;
      this.text.value = '';
      this.said.scrollTop = this.said.scrollHeight;
      say(text('hearts.sent'), false);
      await this.#load();
    } catch (problem) {
      this.problem.textContent = refusal(problem, OF_COMMENTS);
    } finally {
      this.isSending = false;
    }
  }

  async #remove(id) {
    this.problem.textContent = '';
    try {
      await send(this.list, 'DELETE', `comments/${id}`);
      say(text('hearts.removed'), false);
    } catch (problem) {
      // The hosts were quicker.
      if (problem.status !== 404) return void (this.problem.textContent = refusal(problem, OF_COMMENTS));
    }
    this.text.focus();
    await this.#load();
  }
}
