// What guests wrote of one photo, and room to write more. It is loaded when a guest asks for it.

import { refusal, send } from './liking.js';
import { say } from './say.js';
import { make } from './tile.js';

const NAME = 'guest name';

// A browser that stores nothing is told the name each time.
function name(text) {
  try {
    if (text === undefined) return localStorage.getItem(NAME) ?? '';
    localStorage.setItem(NAME, text);
  } catch {
    return '';
  }
}

// Not crypto.randomUUID(), which browsers give to https only.
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const moment = (time) => new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export class Comments {
  #edits;
  // The same comment, however often it is sent.
  #draft = null;
  #question = 0;

  constructor(liking, photo, closed) {
    Object.assign(this, { liking, list: liking.list, photo });
    this.said = make('ul', { role: 'list' });
    this.none = make('p', { class: 'none', role: 'status' }, 'Looking …');
    this.problem = make('p', { class: 'problem', role: 'alert' });
    const id = (text) => `talk-${text}`;
    this.name = make('input', { id: id('name'), maxlength: 50, required: true, autocomplete: 'nickname', dir: 'auto' });
    this.name.value = name();
    this.text = make('textarea', { id: id('text'), maxlength: 500, required: true, rows: 3, dir: 'auto' });
    const close = make('button', { type: 'button' }, 'Close');
    close.onclick = () => this.close();
    const form = make('form', { novalidate: true }, make('label', { for: id('name') }, 'Your name'), this.name,
      make('label', { for: id('text') }, 'Your comment'), this.text, this.problem, make('div', { class: 'deeds' }, close, make('button', { class: 'main' }, 'Send')));
    form.onsubmit = (submit) => {
      submit.preventDefault();
      this.#send();
    };
    this.box = make('dialog', { class: 'panel talk', 'aria-labelledby': id('title') }, make('h2', { id: id('title') }, 'Comments'), this.said, this.none, form);
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
      this.none.textContent = comments.length ? '' : 'No comments yet. Yours is the first.';
      if (isAtEnd) this.said.scrollTop = this.said.scrollHeight;
    } catch (problem) {
      if (mine !== this.#question) return;
      this.none.textContent = '';
      this.problem.textContent = `${refusal(problem, 'comments')}.`;
      // The next message asks again.
      this.#edits = undefined;
    }
  }

  #item({ id, name: who, text, createdAt, isMine }) {
    const about = make('p', { class: 'who' }, make('bdi', {}, who), ' ', make('time', { datetime: createdAt }, moment(createdAt)));
    const item = make('li', {}, about, make('p', { class: 'what', dir: 'auto' }, text));
    if (isMine) {
      const remove = make('button', { type: 'button', class: 'remove' }, 'Remove');
      remove.setAttribute('aria-label', `Remove your comment: ${text.slice(0, 60)}`);
      remove.onclick = () => this.#remove(id);
      item.append(remove);
    }
    return item;
  }

  async #send() {
    this.problem.textContent = '';
    const [who, text] = [this.name.value.trim(), this.text.value.trim()];
    const missing = !who ? [this.name, 'Say your name first.'] : !text ? [this.text, 'Write something first.'] : null;
    if (missing) {
      this.problem.textContent = missing[1];
      return missing[0].focus();
    }
    if (this.isSending) return;
    this.isSending = true;
    if (this.#draft?.name !== who || this.#draft.text !== text) this.#draft = { id: uuid(), name: who, text };
    name(who);
    try {
      await this.liking.inTurn(() => send(this.list, 'POST', `photos/${this.photo.id}/comments`, this.#draft));
      this.#draft = null;
      this.text.value = '';
      this.said.scrollTop = this.said.scrollHeight;
      say('Your comment is there', false);
      await this.#load();
    } catch (problem) {
      this.problem.textContent = `${refusal(problem, 'comments')}.`;
    } finally {
      this.isSending = false;
    }
  }

  async #remove(id) {
    this.problem.textContent = '';
    try {
      await send(this.list, 'DELETE', `comments/${id}`);
      say('Your comment is removed', false);
    } catch (problem) {
      // The hosts were quicker.
      if (problem.status !== 404) return void (this.problem.textContent = `${refusal(problem, 'comments')}.`);
    }
    this.text.focus();
    await this.#load();
  }
}
