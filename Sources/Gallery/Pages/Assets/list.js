// The list behind the wall: what is asked of the server for it, and what is done when it does not answer.

import { Loader } from './loader.js';
import { say } from './say.js';
import { Timeline } from './timeline.js';

// A search, and a page that could not have the timeline, come in pages of so many.
const PAGE = 60;
// So many may stand above the list as new, before they settle in their places.
const MOST_NEW = 300;

export class List {
  #tag = '';
  #isFailing = false;
  #looking = 0;
  #tail = {};

  // `changed()` is told when other photos are shown.
  constructor(path, wall, changed) {
    Object.assign(this, { path, wall, changed });
    this.loader = new Loader({
      ask: (piece, signal) => this.#piece(piece, signal),
      loaded: (piece, answer) => this.#loaded(piece, answer),
      failing: (isFailing) => {
        if (isFailing && !this.#isFailing) say('No connection. Trying again …');
        this.#isFailing = isFailing;
      },
    });
    wall.seen = (pieces, index, isAtEnd) => {
      this.timeline.forget([index, this.alsoSeen].filter((place) => place >= 0));
      this.loader.want(isAtEnd && this.timeline.next ? [...pieces, this.tail] : pieces);
    };
  }

  // The photo that is looked at by itself.
  alsoSeen = -1;

  get timeline() { return this.wall.timeline; }
  get search() { return this.timeline.search; }

  // What follows what is known.
  get tail() {
    const { next, search } = this.timeline;
    if (this.#tail.cursor !== next || this.#tail.search !== search) this.#tail = { cursor: next, search, isLoaded: false };
    return this.#tail;
  }

  // Zero where it is not known yet.
  get total() { return this.timeline.next ? 0 : this.timeline.count; }

  // Asking

  // Nothing where the answer is still the one that has this tag.
  async ask(route, parameters = {}, { known = '', signal } = {}) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
    const headers = { Accept: 'application/json', ...(known && { 'If-None-Match': known }) };
    const answer = await fetch(`${this.path}/${route}?${query}`, { headers, signal });
    if (answer.status === 304) return null;
    // The PIN was changed, or the event is over: the page itself says which.
    if ([401, 403, 410].includes(answer.status)) location.reload();
    if (!answer.ok) throw Object.assign(new Error(`${route} was answered with ${answer.status}`), { status: answer.status });
    return { ...(await answer.json()).data, tag: answer.headers.get('ETag') };
  }

  async #piece(piece, signal) {
    if (piece !== this.#tail) return this.#photos(piece, this.search, signal);
    return this.ask('photos', { cursor: piece.cursor, q: this.search, limit: PAGE }, { signal });
  }

  async #photos({ cursor, until, shapes }, q, signal) {
    const photos = [];
    do {
      // Some more than are known of: others may have come between them.
      const limit = Math.min(200, shapes.length + 20);
      const answer = await this.ask('photos', { cursor, until, q, limit }, { signal });
      photos.push(...answer.photos);
      cursor = answer.photos.length === limit ? answer.next : null;
    } while (cursor);
    return { photos };
  }

  #loaded(piece, { photos, next }) {
    if (piece === this.#tail) {
      if (piece.cursor !== this.timeline.next) return;
      piece.isLoaded = true;
      this.wall.keepingPlace(() => this.timeline.append(photos, next));
    } else if (this.timeline.pieces.includes(piece)) {
      const place = this.wall.place();
      if (this.timeline.fill(piece, photos)) this.wall.layAgain(place);
      else this.wall.render();
    }
    this.changed();
  }

  // One photo

  // Nothing where there is none.
  async photo(index) {
    if (index < 0) return null;
    if (index >= this.timeline.count && this.timeline.next) await this.loader.load(this.tail);
    if (index >= this.timeline.count) return null;
    if (!this.timeline.photo(index)) await this.loader.load(this.timeline.pieceAt(index));
    return this.timeline.photo(index) ?? null;
  }

  // Which photo of the list that is; below zero where it is none of it, or not known yet.
  async locate(photo) {
    const piece = this.timeline.find(photo.id) ? null : this.timeline.pieceFor(photo.position);
    if (piece && !this.search) await this.loader.load(piece);
    return this.timeline.indexOf(photo.id);
  }

  // However old it is; nothing where it is not there any more.
  async fetch(id) {
    const known = this.timeline.find(id);
    if (known) return known;
    try {
      return (await this.ask('photos', { at: id, limit: 1 })).photos[0];
    } catch (problem) {
      if (problem.status === 404) return null;
      throw problem;
    }
  }

  // All photos

  // The list as it is now; new ones that have come settle in their places. Answers how many photos there are, or nothing
  // where it is the list that is shown. `place` is where one is to come to, if not to where one is; `isFirst` says that what
  // is shown has just been made, and need not be asked for again.
  async renew({ isForced = true, isFirst = false, place, isFromTop = false } = {}) {
    const { search } = this;
    const answer = await this.ask('timeline', {}, { known: isForced ? '' : this.#tag });
    if (!answer) return null;
    const timeline = Timeline.from(answer);
    if (isFirst) timeline.borrow(this.timeline);
    // What is seen next is here before it is shown.
    const goal = isFromTop ? null : place ?? this.wall.place();
    const first = Math.max(0, goal ? timeline.pieces.indexOf(timeline.pieceFor(goal.position)) : 0);
    const near = timeline.pieces.slice(first, first + 2).filter((piece) => !piece.photos.length);
    const found = await Promise.all(near.map((piece) => (isFirst && !goal ? null : this.#photos(piece, ''))));
    near.forEach((piece, number) => found[number] && timeline.fill(piece, found[number].photos));
    // One has searched for something else since.
    if (search !== this.search) return null;
    const later = this.timeline.arrivals ? this.timeline.pieces[0].photos.filter((photo) => photo.sequence > timeline.last) : [];
    if (later.length) timeline.arrive(later);
    this.#tag = answer.tag;
    this.loader.want([]);
    this.wall.show(timeline, isFromTop ? null : place ?? this.wall.place());
    this.changed();
    return answer.count;
  }

  // The first page of what holds these words, or of everything.
  async find(text, signal) {
    const { photos, next } = await this.ask('photos', { q: text, limit: PAGE }, { signal });
    const timeline = new Timeline();
    timeline.search = text;
    timeline.last = Math.max(this.timeline.last, ...photos.map((photo) => photo.sequence));
    timeline.append(photos, next, '');
    this.loader.want([]);
    this.wall.show(timeline, null);
    this.changed();
    return { photos, next };
  }

  // So many there should be. Where that is not so for a while, something was missed: each page looks at a moment of its own.
  expect(count) {
    const isRight = () => this.search || this.timeline.next || this.timeline.count === count() && this.timeline.arrivals <= MOST_NEW;
    if (isRight() || this.#looking) return;
    this.#looking = setTimeout(async () => {
      try {
        if (!isRight()) await this.renew();
      } catch {
        // The connection says so elsewhere; the next message of a count asks again.
      } finally {
        this.#looking = 0;
      }
    }, 2000 + 4000 * Math.random());
  }
}
