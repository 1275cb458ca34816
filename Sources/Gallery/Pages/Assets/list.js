// The list behind the wall: what is asked of the server for it, and what is done when it does not answer.

import { Loader } from './loader.js';
import { say } from './say.js';
import { text } from './text.js';
import { Timeline } from './timeline.js';

// A search, and a page that could not have the timeline, come in pages of so many.
const PAGE = 60;
// So many may stand above the list as new, before they settle in their places.
const MOST_NEW = 300;
// An answer that takes longer is not worth waiting for; it is asked for again.
const PATIENCE = 20000;

export class List {
  #tag = '';
  #isFailing = false;
  #count = () => 0;
  #looking = 0;
  #renewals = 0;
  #isToLookAgain = false;
  #trying;
  #tail = {};
  // Of first pages that were asked for, and the latest that is shown.
  #asked = 0;
  #shown = 0;

  // `changed()` is told when other photos are shown.
  constructor(path, wall, changed) {
    Object.assign(this, { path, wall, changed });
    this.loader = new Loader({
      ask: (piece, signal) => this.#piece(piece, signal),
      loaded: (piece, answer) => this.#loaded(piece, answer),
      failing: (isFailing) => {
        if (isFailing && !this.#isFailing) say(text('wall.tryingAgain'));
        this.#isFailing = isFailing;
      },
    });
    wall.seen = (pieces, index, isAtEnd) => {
      this.timeline.forget([index, this.alsoSeen()].filter((place) => place >= 0));
      this.loader.want(isAtEnd && this.timeline.next ? [...pieces, this.tail] : pieces);
    };
  }

  // Which photo is looked at by itself; below zero where none is.
  alsoSeen = () => -1;

  get timeline() { return this.wall.timeline; }
  get search() { return this.timeline.search; }
  get source() { return this.timeline.source; }
  // The section that is shown; empty for all.
  get album() { return this.timeline.album; }
  // Says which part of all photos it is, where it is one.
  get part() { return this.source ?? this.search; }

  // Of the page that shows this.
  address(words, album = this.album) {
    const asked = [album && `album=${album}`, words && `q=${encodeURIComponent(words)}`].filter(Boolean).join('&');
    return asked ? `${this.path}?${asked}` : this.path;
  }

  // What follows what is known.
  get tail() {
    const { timeline } = this;
    if (this.#tail.cursor !== timeline.next || this.#tail.timeline !== timeline) this.#tail = { cursor: timeline.next, timeline, isLoaded: false };
    return this.#tail;
  }

  // Zero where it is not known yet.
  get total() { return this.timeline.next ? 0 : this.timeline.count; }

  // Asking

  // Nothing where the answer is still the one that has this tag, or has no body.
  async ask(route, parameters = {}, { known = '', signal, method = 'GET', body } = {}) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
    const headers = {
      Accept: 'application/json', ...(known && { 'If-None-Match': known }), ...(body && { 'Content-Type': 'application/json' }),
    };
    const controller = new AbortController();
    const end = () => controller.abort();
    const late = setTimeout(end, PATIENCE);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    try {
      const answer = await fetch(`${this.path}/${route}${method === 'GET' ? `?${query}` : ''}`, {
        method, headers, body: body && JSON.stringify(body), signal: controller.signal,
      });
      const { status } = answer;
      if ([204, 304].includes(status)) return null;
      // The PIN was changed, the event is over, or it was deleted: the page itself says which. What else is refused by 403 may only
      // have been switched off, and one photo or one section that is not there is not all of them.
      const isList = method === 'GET' && /^(photos|timeline)$/.test(route);
      if ([401, 410, isList && 403, isList && !parameters.at && !parameters.album && 404]
        .includes(status) && dispatchEvent(new Event('door', { cancelable: true }))) location.reload();
      // The section is no more.
      if (status === 404 && parameters.album) location.replace(this.path);
      if (!answer.ok) throw Object.assign(new Error(`${route}: ${status}`), { status });
      return { ...(await answer.json()).data, tag: answer.headers.get('ETag') };
    } finally {
      clearTimeout(late);
      signal?.removeEventListener('abort', end);
    }
  }

  async #piece(piece, signal) {
    return piece === this.#tail ? this.#page(this.timeline, piece.cursor, signal) : this.#photos(piece, this.search, signal);
  }

  #page({ source, search, album }, cursor, signal) {
    return source ? source(cursor, signal) : this.ask('photos', { cursor, q: search, album, limit: PAGE }, { signal });
  }

  async #photos({ cursor, until, shapes }, q, signal, album = this.album) {
    const photos = [];
    do {
      // Some more than are known of: others may have come between them.
      const limit = Math.min(200, shapes.length + 20);
      const answer = await this.ask('photos', { cursor, until, q, album, limit }, { signal });
      photos.push(...answer.photos);
      cursor = answer.photos.length === limit ? answer.next : null;
    } while (cursor);
    return { photos };
  }

  #loaded(piece, { photos, next }) {
    if (piece === this.#tail) {
      if (piece !== this.tail) return;
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
    if (piece && !this.part) await this.loader.load(piece);
    return this.timeline.indexOf(photo.id);
  }

  // However old it is; nothing where it is not there any more. `isFresh` asks the server whatever is known here.
  async fetch(id, { signal, isFresh = false } = {}) {
    const known = isFresh ? null : this.timeline.find(id);
    if (known) return known;
    try {
      return (await this.ask('photos', { at: id, limit: 1 }, { signal })).photos[0];
    } catch (problem) {
      if (problem.status === 404) return null;
      throw problem;
    }
  }

  // All photos

  // Their timeline, as soon as it can be had; until then they come page by page. `place()` is where one comes to then.
  async begin(place, tries = 0) {
    clearTimeout(this.#trying);
    // A part of all has none, and where all photos are known there is no more to know.
    if (this.part || !this.timeline.next) {
      const goal = place();
      if (goal) this.wall.layAgain(goal);
      return;
    }
    try {
      await this.renew({ isFirst: true, place: () => place() ?? this.wall.place() });
    } catch {
      this.#trying = setTimeout(() => this.begin(place, tries + 1), Math.min(60000, 1000 * 2 ** tries) * (1 + Math.random()));
    }
  }

  // The list as it is now; new ones settle in their places. Answers how many photos there are, or nothing where it is the list
  // that is shown. `place()` is where one comes to, if not to where one is; with `isFirst` what is shown has just been made.
  async renew(wishes = {}) {
    this.#renewals += 1;
    try {
      return await this.#renew(wishes);
    } finally {
      this.#renewals -= 1;
      if (this.#isToLookAgain && !this.#renewals) {
        this.#isToLookAgain = false;
        this.expect(this.#count);
      }
    }
  }

  async #renew({ isForced = true, isFirst = false, place = () => this.wall.place(), signal, album = this.album }) {
    const { part, album: before } = this;
    const answer = await this.ask('timeline', { album }, { known: isForced ? '' : this.#tag, signal });
    if (!answer) return null;
    const timeline = Object.assign(Timeline.from(answer), { album });
    // Where photos have come since the page was made, its first ones are others.
    const isAsMade = isFirst && timeline.last === this.timeline.last;
    if (isAsMade) timeline.borrow(this.timeline);
    // What is seen next is here before it is shown.
    const goal = place();
    const first = Math.max(0, goal ? timeline.pieces.indexOf(timeline.pieceFor(goal.position)) : 0);
    const near = timeline.pieces.slice(first, first + 2).filter((piece) => !piece.photos.length);
    const found = await Promise.all(near.map((piece) => (isAsMade && !goal ? null : this.#photos(piece, '', signal, album))));
    near.forEach((piece, number) => found[number] && timeline.fill(piece, found[number].photos));
    // One looks at something else since.
    if (part !== this.part || before !== this.album || signal?.aborted) return null;
    const later = album === before && this.timeline.arrivals ? this.timeline.pieces[0].photos.filter((photo) => photo.sequence > timeline.last) : [];
    if (later.length) timeline.arrive(later);
    this.#tag = answer.tag;
    this.loader.want([]);
    this.wall.show(timeline, place());
    this.changed();
    return answer.count;
  }

  // The first page of what holds these words, or of everything, or of what `source(cursor, signal)` answers. Without a signal it
  // is the list that is shown, once more.
  async find(text, signal, source = null, album = this.album) {
    const timeline = Object.assign(new Timeline(), { search: text, source, album });
    const asked = (this.#asked += 1);
    const { photos, next } = await this.#page(timeline, '', signal);
    // One has gone on to something else, or a later answer is there.
    if (!signal && (asked < this.#shown || text !== this.search || source !== this.source || album !== this.album)) return null;
    this.#shown = asked;
    timeline.last = Math.max(this.timeline.last, ...photos.map((photo) => photo.sequence));
    timeline.append(photos, next, '');
    this.loader.want([]);
    this.wall.show(timeline, null);
    this.changed();
    return { photos, next };
  }

  // So many there should be. Where there are not, something was missed: each page looks at a moment of its own.
  expect(count) {
    this.#count = count;
    // What is on its way may be older than this.
    if (this.#renewals) this.#isToLookAgain = true;
    else if (!this.#isRight) this.#looking ||= setTimeout(() => this.#look(), 2000 + 4000 * Math.random());
  }

  get #isRight() {
    const { count, next, arrivals } = this.timeline;
    return this.part || next || (count === this.#count() && arrivals <= MOST_NEW);
  }

  async #look() {
    this.#looking = 0;
    // The next message of a count asks again.
    if (!this.#isRight) await this.renew().catch(() => {});
  }
}
