// What guests wrote of one photo, and room to write more. It is loaded when a guest asks for it.

import { closeOnBackdrop } from './backdrop.js';
import { Drafts } from './drafts.js';
import { name } from './guestname.js';
import { OF_COMMENTS, refusal } from './liking.js';
import { say } from './say.js';
import { locale, text } from './text.js';
import { make } from './tile.js';

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
  #again = () => this.#load();

  constructor(liking, photo, closed) {
    Object.assign(this, { liking, list: liking.list, photo });
    // It scrolls, which is to be done by keys as well.
    this.said = make('ul', { role: 'list', tabindex: 0, 'aria-label': text('hearts.comments') });
    this.none = make('p', { class: 'none', role: 'status' }, text('hearts.looking'));
    const id = (part) => `talk-${part}`;
    this.problem = make('p', { class: 'problem', role: 'alert', id: id('problem') });
    this.name = make('input', { id: id('name'), maxlength: 50, required: true, autocomplete: 'nickname', dir: 'auto' });
    this.name.value = name();
    this.text = make('textarea', { id: id('text'), maxlength: 500, required: true, rows: 3, dir: 'auto' });
    const kept = (liking.drafts ??= new Drafts(this.list.path)).get(photo.id);
    this.text.value = kept?.text ?? '';
    this.#draft = kept?.sent ?? null;
    this.button = make('button', { class: 'main' }, text('hearts.send'));
    const close = make('button', { type: 'button' }, text('wall.close'));
    close.onclick = () => this.close();
    const form = make('form', { novalidate: true }, make('label', { for: id('name') }, text('hearts.yourName')), this.name,
      make('label', { for: id('text') }, text('hearts.yourComment')), this.text, this.problem,
      make('div', { class: 'deeds' }, close, this.button));
    form.oninput = ({ target }) => {
      this.#clear(target);
      this.#keep();
    };
    form.onsubmit = (submit) => {
      submit.preventDefault();
      this.#send();
    };
    const title = make('h2', { id: id('title') }, text('hearts.comments'));
    this.box = make('dialog', { class: 'panel talk', 'aria-labelledby': id('title') }, title, this.said, this.none, form);
    closeOnBackdrop(this.box);
    this.box.onclose = () => {
      // What was said in it is not to go with it; what is still to be seen stays.
      const said = this.box.querySelector('#status');
      const isSeen = said?.classList.contains('seen');
      if (said) say(isSeen ? said.textContent : '', isSeen);
      this.box.remove();
      removeEventListener('online', this.#again);
      this.#keep();
      closed();
    };
    document.body.append(this.box);
    this.box.showModal();
    (this.name.value ? this.text : this.name).focus();
  }

  close() { this.box.close(); }

  // What was typed is there when it is opened again.
  #keep() {
    this.liking.drafts.keep(this.photo.id, this.text.value, this.#draft);
    if (this.name.value.trim()) name(this.name.value.trim());
  }

  // Its photo is not on show any more. What was typed is kept, and does not go without a word.
  leave() {
    const isWriting = this.box.open && this.text.value.trim();
    this.close();
    if (isWriting) say(text('wall.photoGone'));
  }

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
      const focused = this.said.contains(document.activeElement) ? document.activeElement.dataset.id : null;
      this.said.replaceChildren(...comments.map((comment) => this.#item(comment)));
      if (focused) (this.said.querySelector(`[data-id="${focused}"]`) ?? this.said).focus({ preventScroll: true });
      this.none.textContent = comments.length ? '' : text('hearts.none');
      if (isAtEnd) this.said.scrollTop = this.said.scrollHeight;
    } catch (problem) {
      if (mine !== this.#question) return;
      this.none.textContent = refusal(problem, OF_COMMENTS);
      // The next message asks again, and so does a connection that comes back.
      this.#edits = undefined;
      if (this.box.isConnected) addEventListener('online', this.#again, { once: true });
    }
  }

  #item({ id, name: who, text: words, createdAt, isMine }) {
    const about = make('p', { class: 'who' }, make('bdi', {}, who), ' ', make('time', { datetime: createdAt }, moment(createdAt)));
    const item = make('li', {}, about, make('p', { class: 'what', dir: 'auto' }, words));
    if (isMine) {
      const remove = make('button', { type: 'button', class: 'remove', 'data-id': id }, text('hearts.remove'));
      remove.setAttribute('aria-label', text('hearts.removeThis', { comment: words.slice(0, 60) }));
      remove.onclick = () => this.#remove(id);
      item.append(remove);
    }
    return item;
  }

  #clear(field) {
    field.removeAttribute('aria-invalid');
    field.removeAttribute('aria-describedby');
  }

  // Its panel may be closed by now.
  #refuse(problem) {
    const words = refusal(problem, OF_COMMENTS);
    if (this.box.isConnected) this.problem.textContent = words;
    else say(words);
  }

  async #send() {
    this.problem.textContent = '';
    [this.name, this.text].forEach((field) => this.#clear(field));
    const [who, words] = [this.name.value.trim(), this.text.value.trim()];
    const missing = !who ? [this.name, text('hearts.noName')] : !words ? [this.text, text('hearts.noText')] : null;
    if (missing) {
      const [field, sentence] = missing;
      this.problem.textContent = sentence;
      field.setAttribute('aria-invalid', 'true');
      field.setAttribute('aria-describedby', this.problem.id);
      return field.focus();
    }
    if (this.isSending) return;
    this.isSending = true;
    this.button.setAttribute('aria-busy', 'true');
    if (this.#draft?.name !== who || this.#draft.text !== words) this.#draft = { id: uuid(), name: who, text: words };
    this.#keep();
    try {
      await this.liking.inTurn(() => this.list.ask(`photos/${this.photo.id}/comments`, {}, { method: 'POST', body: this.#draft }));
      this.#draft = null;
      // What was typed meanwhile is the next one.
      if (this.text.value.trim() === words) this.text.value = '';
      const { drafts } = this.liking;
      if (drafts.get(this.photo.id)?.text.trim() === words) drafts.keep(this.photo.id, '');
      this.said.scrollTop = this.said.scrollHeight;
      say(text('hearts.sent'), false);
      await this.#load();
    } catch (problem) {
      this.#refuse(problem);
    } finally {
      this.isSending = false;
      this.button.removeAttribute('aria-busy');
    }
  }

  async #remove(id) {
    this.problem.textContent = '';
    try {
      await this.list.ask(`comments/${id}`, {}, { method: 'DELETE' });
      say(text('hearts.removed'), false);
    } catch (problem) {
      // The hosts were quicker.
      if (problem.status !== 404) return this.#refuse(problem);
    }
    // What was pressed goes with it, and no keyboard is to come up for what follows.
    this.said.focus();
    await this.#load();
  }
}
