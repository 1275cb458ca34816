// All photos that the page shows, the latest first: the shape of each, the hours, and everything of those near what is seen. The
// server's timeline tells it at once; a search, or a page without the timeline, learns it page by page.

import { lastUpTo } from './layout.js';
import { compared } from './position.js';
import { shape } from './tile.js';

// So many photos are kept; those farthest from what is seen are forgotten, and asked for again.
const MOST_KEPT = 4000;

const shapesOf = (photos) => Uint8Array.from(photos, shape);
const isSame = (one, other) => one.length === other.length && one.every((value, index) => value === other[index]);
const hourOf = (photo) => (photo.localTime ? `${photo.localTime.slice(0, 13)}:00` : null);

// Few, also where the photos themselves are forgotten.
function hoursOf(photos) {
  const hours = [];
  for (const photo of photos) {
    const hour = hourOf(photo);
    if (hours.at(-1)?.hour === hour) hours.at(-1).count += 1;
    else hours.push({ hour, count: 1 });
  }
  return hours;
}

// As HourRuns in Timeline.swift: hours only go back.
const begins = (hour, last) => hour && (!last || hour < last);

export class Timeline {
  // What is loaded at once: the photos behind `cursor` up to `until`, of which `hours` are known before they are.
  pieces = [];
  // One for each hour, and above them one for what has just come.
  sections = [];
  shapes = new Uint8Array();
  // Where more begins that is not known yet; empty when all is.
  next = '';
  // What has a higher sequence has come since.
  last = 0;
  search = '';
  // What answers its pages, where the server does not: a guest's picks.
  source = null;
  album = '';
  // Where sections and pieces begin.
  #firsts = [];
  #starts = [];
  #places = new Map();

  static from({ hours, last, piece: size, ends, shapes }) {
    const timeline = new Timeline();
    timeline.last = last;
    const all = Uint8Array.from(shapes, (letter) => parseInt(letter, 36) + 6);
    const left = hours.map(({ hour, count }) => ({ hour, count }));
    let cursor = '';
    for (const [place, until] of ends.entries()) {
      const own = all.slice(place * size, (place + 1) * size);
      const piece = { cursor, until, shapes: own, hours: [], photos: [], isLoaded: false };
      for (let rest = own.length; rest > 0 && left.length;) {
        const count = Math.min(rest, left[0].count);
        piece.hours.push({ hour: left[0].hour, count });
        rest -= count;
        left[0].count -= count;
        if (!left[0].count) left.shift();
      }
      timeline.pieces.push(piece);
      cursor = until;
    }
    timeline.#index();
    return timeline;
  }

  // A page more of what has no timeline.
  append(photos, next, cursor = this.next) {
    const fresh = photos.filter((photo) => !this.#places.has(photo.id));
    const piece = { cursor, until: fresh.at(-1)?.position, photos: fresh, isLoaded: true };
    if (fresh.length) this.pieces.push(piece);
    fresh.forEach((photo) => this.#places.set(photo.id, piece));
    this.next = next ?? '';
    this.#index();
  }

  // Which photo is the how manieth, and in which hour.
  #index() {
    let first = 0;
    for (const piece of this.pieces) {
      if (piece.isLoaded) {
        piece.shapes = shapesOf(piece.photos);
        piece.hours = hoursOf(piece.photos);
      }
      piece.first = first;
      first += piece.shapes.length;
    }
    this.pieces = this.pieces.filter((piece) => piece.shapes.length);
    this.#starts = this.pieces.map((piece) => piece.first);
    this.shapes = new Uint8Array(first);
    this.sections = [];
    for (const piece of this.pieces) {
      this.shapes.set(piece.shapes, piece.first);
      for (const { hour, count } of piece.isNew ? [{ hour: null, count: piece.shapes.length }] : piece.hours) this.#add(piece, hour, count);
    }
    this.#firsts = this.sections.map((section) => section.first);
  }

  #add(piece, hour, count) {
    let section = this.sections.at(-1);
    if (!section || section.isNew || (!piece.isNew && begins(hour, section.hour))) {
      section = { hour, isNew: piece.isNew, title: piece.isNew ? 'new' : hour, first: section ? section.first + section.count : 0, count: 0 };
      this.sections.push(section);
    }
    section.count += count;
  }

  get count() { return this.shapes.length; }

  sectionAt(index) { return this.sections[lastUpTo(this.#firsts, index)]; }

  // Finding

  pieceAt(index) { return this.pieces[lastUpTo(this.#starts, index)]; }

  // Nothing while it is not loaded.
  photo(index) {
    const piece = index < this.count ? this.pieceAt(index) : null;
    return piece?.photos[index - piece.first];
  }

  find(id) { return this.#places.get(id)?.photos.find((photo) => photo.id === id); }

  // Below zero where it is not loaded.
  indexOf(id) {
    const piece = this.#places.get(id);
    return piece ? piece.first + piece.photos.findIndex((photo) => photo.id === id) : -1;
  }

  // The piece in whose part of the list that position is.
  pieceFor(position) { return this.settled.find((piece) => compared(position, piece.until) >= 0); }

  get settled() { return this.pieces.filter((piece) => !piece.isNew); }
  get arrivals() { return this.pieces[0]?.isNew ? this.pieces[0].photos.length : 0; }

  // Changing

  // What the server has in a piece is what is in it. Answers whether photos have other places now.
  fill(piece, photos) {
    const known = photos.filter((photo) => this.search || photo.sequence <= this.last);
    const isMoved = !isSame(shapesOf(known), piece.shapes);
    this.#empty(piece);
    Object.assign(piece, { photos: known, isLoaded: true });
    known.forEach((photo) => this.#places.set(photo.id, piece));
    if (isMoved) this.#index();
    return isMoved;
  }

  #empty(piece) {
    piece.photos.forEach((photo) => this.#places.get(photo.id) === piece && this.#places.delete(photo.id));
    Object.assign(piece, { photos: [], isLoaded: false });
  }

  replace(photo) {
    const piece = this.#places.get(photo.id);
    const place = this.indexOf(photo.id) - piece.first;
    piece.photos[place] = photo;
    piece.shapes[place] = shape(photo);
    this.#index();
  }

  remove(id) {
    const piece = this.#places.get(id);
    const place = this.indexOf(id) - piece.first;
    piece.photos.splice(place, 1);
    piece.shapes = piece.shapes.filter((_, index) => index !== place);
    let rest = place;
    const own = piece.hours.find(({ count }) => {
      rest -= count;
      return rest < 0;
    });
    if (own) own.count -= 1;
    this.#places.delete(id);
    this.#index();
  }

  // On top, the latest of them first.
  arrive(photos) {
    if (!this.pieces[0]?.isNew) this.pieces.unshift({ cursor: '', until: '', photos: [], isLoaded: true, isNew: true });
    const piece = this.pieces[0];
    const fresh = photos.filter((photo) => !this.#places.has(photo.id)).sort((one, other) => compared(other.position, one.position));
    piece.photos.unshift(...fresh);
    fresh.forEach((photo) => this.#places.set(photo.id, piece));
    this.#index();
  }

  // To its place among those that have not just arrived; false where that is not known.
  settle(photo) {
    let piece = this.pieceFor(photo.position) ?? (this.next ? null : this.settled.at(-1));
    if (!piece && !this.next) this.pieces.push((piece = { cursor: '', until: photo.position, photos: [], isLoaded: true }));
    if (!piece?.isLoaded) return false;
    const place = piece.photos.findIndex((other) => compared(other.position, photo.position) < 0);
    piece.photos.splice(place < 0 ? piece.photos.length : place, 0, photo);
    if (compared(photo.position, piece.until) < 0) piece.until = photo.position;
    this.#places.set(photo.id, piece);
    this.#index();
    return true;
  }

  // What was known of a list that was shown before is shown until this one's own photos are here.
  borrow(other) {
    const known = other.settled.flatMap((piece) => piece.photos).sort((one, two) => compared(two.position, one.position));
    let place = 0;
    for (const piece of this.pieces) {
      while (place < known.length && piece.cursor && compared(known[place].position, piece.cursor) >= 0) place += 1;
      const own = [];
      while (place < known.length && compared(known[place].position, piece.until) >= 0) own.push(known[place++]);
      const isBeginning = own.length === piece.shapes.length || !piece.first;
      if (!isBeginning || !isSame(shapesOf(own), piece.shapes.slice(0, own.length))) continue;
      piece.photos = own;
      own.forEach((photo) => this.#places.set(photo.id, piece));
    }
  }

  // Keeps what is nearest to these photos.
  forget(indexes) {
    const loaded = this.settled.filter((piece) => piece.photos.length);
    let kept = loaded.reduce((sum, piece) => sum + piece.photos.length, 0);
    if (kept <= MOST_KEPT) return;
    const away = (piece) => Math.min(...indexes.map((index) => Math.abs(piece.first - index)));
    loaded.sort((one, other) => away(other) - away(one));
    for (const piece of loaded) {
      if (kept <= MOST_KEPT) return;
      kept -= piece.photos.length;
      piece.hours = piece.isLoaded ? hoursOf(piece.photos) : piece.hours;
      this.#empty(piece);
    }
  }
}
