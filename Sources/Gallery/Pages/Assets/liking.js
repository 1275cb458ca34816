// Giving the photo on show a heart, and the way to what guests wrote of it.

import { noConnection, say } from './say.js';
import { number, text } from './text.js';
import { make } from './tile.js';

// What the server refused, by its status.
const REFUSALS = { 403: 'hearts.off', 404: 'wall.photoGone', 422: 'hearts.notTaken' };
const OF_HEARTS = { ...REFUSALS, 409: 'hearts.mostHearts', 429: 'hearts.tooManyHearts' };
export const OF_COMMENTS = { ...REFUSALS, 409: 'hearts.mostComments', 429: 'hearts.tooManyComments' };

export const refusal = ({ status }, refusals) => text(refusals[status] ?? 'wall.noConnection');

function drawn(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [name, value] of Object.entries({ class: 'draw', viewBox: '0 0 24 24', width: 22, height: 22, 'aria-hidden': true })) svg.setAttribute(name, value);
  svg.append(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
  svg.firstChild.setAttribute('d', path);
  return svg;
}

const HEART = 'M12 20.5C5.5 15.7 3 12.4 3 9a4.6 4.6 0 0 1 9-1.4A4.6 4.6 0 0 1 21 9c0 3.4-2.5 6.7-9 11.5z';
const BUBBLE = 'M4 5h16v11h-8l-5 4v-4H4z';

export class Liking {
  // What this device has given, as the page shows it and as the server knows it.
  #mine = new Set();
  #known = new Set();
  #turn = Promise.resolve();
  #panel = null;
  #isLearned = false;
  // Of comments, since one was opened.
  drafts = null;

  constructor(hearts, box) {
    Object.assign(this, { hearts, list: hearts.list, box });
    const button = (id, keys, path, deed) => {
      const made = make('button', { type: 'button', class: 'icon', id, 'aria-keyshortcuts': keys }, drawn(path), make('span'));
      made.onclick = deed;
      return made;
    };
    this.heart = button('box-heart', 'h l', HEART, () => this.#toggle());
    this.heart.title = text('hearts.heartByKey');
    this.talk = button('box-comments', 'c', BUBBLE, () => this.#open());
    this.talk.title = text('hearts.commentsByKey');
    this.talk.setAttribute('aria-haspopup', 'dialog');
    box.querySelector('.words').prepend(make('div', { class: 'likes' }, this.heart, this.talk));
    box.addEventListener('keydown', (key) => this.#key(key));
    box.addEventListener('close', () => this.#panel?.close());
    hearts.changed = () => this.show();
  }

  // What was given before, from this browser.
  async #learn() {
    if (this.#isLearned || !this.hearts.allowsHearts) return;
    this.#isLearned = true;
    try {
      for (const id of (await this.list.ask('hearts')).photos) {
        if (!this.#known.has(id)) this.#mine.add(id);
        this.#known.add(id);
      }
      this.show();
    } catch {
      // A heart that is given twice is one; they are asked for again.
      this.#isLearned = false;
    }
  }

  show() {
    const { photo, allowsHearts, allowsComments } = this.hearts;
    if (!photo) return;
    if (this.#panel && this.#panel.photo.id !== photo.id) this.#panel.leave();
    const { hearts, comments, edits } = this.hearts.of(photo.id);
    this.heart.hidden = !allowsHearts;
    this.talk.hidden = !allowsComments;
    this.#label(this.heart, hearts, text('hearts.heart', { count: hearts }));
    this.heart.setAttribute('aria-pressed', this.#mine.has(photo.id));
    this.#label(this.talk, comments, text('hearts.talk', { count: comments }));
    this.#panel?.renew(edits);
    this.#learn();
  }

  #label(button, count, label) {
    button.lastChild.textContent = count ? number(count) : '';
    button.setAttribute('aria-label', label);
  }

  #key(key) {
    if (key.altKey || key.ctrlKey || key.metaKey || key.repeat) return;
    const name = key.key.toLowerCase();
    if ((name === 'h' || name === 'l') && !this.heart.hidden) this.#toggle();
    else if (name === 'c' && !this.talk.hidden) this.#open();
    else return;
    key.preventDefault();
  }

  // One after the other: the first answer brings the cookie by which the others are the same guest's.
  inTurn(deed) {
    const done = this.#turn.then(deed);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #toggle() {
    const { id } = this.hearts.photo;
    const isGiven = !this.#mine.has(id);
    this.#set(id, isGiven);
    say(text(isGiven ? 'hearts.given' : 'hearts.takenBack'), false);
    try {
      await this.inTurn(() => this.#tell(id));
    } catch (problem) {
      if (this.#mine.has(id) !== this.#known.has(id)) this.#set(id, !this.#mine.has(id));
      say(refusal(problem, OF_HEARTS));
    }
  }

  #set(id, isGiven) {
    if (isGiven) this.#mine.add(id);
    else this.#mine.delete(id);
    const known = this.hearts.of(id);
    this.hearts.hear({ photos: [{ ...known, id, hearts: Math.max(0, known.hearts + (isGiven ? 1 : -1)) }] });
  }

  // What is wanted by now; who has changed that twice wants what the server knows.
  async #tell(id) {
    const isGiven = this.#mine.has(id);
    if (isGiven === this.#known.has(id)) return;
    const { hearts } = await this.list.ask(`photos/${id}/heart`, {}, { method: isGiven ? 'PUT' : 'DELETE' });
    if (isGiven) this.#known.add(id);
    else this.#known.delete(id);
    if (isGiven === this.#mine.has(id)) this.hearts.hear({ photos: [{ ...this.hearts.of(id), id, hearts }] });
  }

  async #open() {
    const { photo } = this.hearts;
    try {
      const { Comments } = await import('./comments.js');
      if (this.#panel || photo.id !== this.hearts.photo.id || !this.box.open) return;
      this.#panel = new Comments(this, photo, () => (this.#panel = null));
      this.show();
    } catch {
      noConnection();
    }
  }
}
