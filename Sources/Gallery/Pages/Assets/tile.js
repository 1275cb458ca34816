// A photo's tile, from the values that the server gives of it and back to them.

import { text } from './text.js';

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// As PagePhoto does it.
export function shape(photo) {
  const twelfths = Math.round((12 * photo.thumbWidth) / Math.max(1, photo.thumbHeight));
  return Math.min(36, Math.max(6, twelfths));
}

// What a browser picks from for the pixels of its screen. Where a guest saves data, the thumb is shown on every screen.
export const sources = (photo) => photo.srcset ?? (photo.tileUrl && !navigator.connection?.saveData
  ? `${photo.thumbUrl} ${photo.thumbWidth}w, ${photo.tileUrl} ${photo.tileWidth}w` : null);

// The head of a bitmap of four by four pixels, as Placeholder has it.
const BITMAP = 'data:image/bmp;base64,Qk1LAAAAAAAAABsAAAAMAAAABAAEAAEAGAAA';

// As PhotoTile.swift does it, but for how wide it is, which the wall says, for the link to the original, which only pages without
// scripts show, and for what is read back.
export function tile(photo) {
  const moment = photo.localTime?.slice(0, 16);
  const link = make('a', { href: photo.streamUrl ?? photo.screenUrl }, make('img', {
    srcset: sources(photo), src: photo.thumbUrl, decoding: 'async', alt: photo.caption || text(photo.streamUrl ? 'wall.video' : 'wall.photo'),
  }));
  if (moment) link.append(make('time', { datetime: moment }, moment.slice(11)));
  if (photo.streamUrl) link.append(' ', make('span', { class: 'clip', 'data-screen': photo.screenUrl }, photo.mark));
  const item = make('li', { class: `a${shape(photo)}`, id: photo.id }, link);
  blur(item, photo);
  return item;
}

export function blur(item, { placeholder }) {
  if (placeholder) item.style.setProperty('--b', `url(${BITMAP}${placeholder})`);
}

// What the server wrote of it.
export function read(item) {
  const image = item.querySelector('img');
  const clip = item.querySelector('.clip');
  const url = item.firstElementChild.getAttribute('href');
  return {
    id: item.id, sequence: Number(item.dataset.at.split('_')[1]), position: item.dataset.at, caption: 'bare' in item.dataset ? '' : image.alt,
    tags: item.dataset.tag?.split('\n') ?? JSON.parse(item.dataset.tags ?? '[]'), guestName: item.dataset.by, localTime: item.querySelector('time')?.dateTime, thumbUrl: image.getAttribute('src'), srcset: image.getAttribute('srcset'),
    // Its shape.
    thumbWidth: Number(item.classList[0].slice(1)), thumbHeight: 12,
    // Nothing of those that are not seen first, until they come with the list.
    placeholder: getComputedStyle(item).getPropertyValue('--b').match(/.{64}(?=\))/)?.[0], screenUrl: clip?.dataset.screen ?? url,
    originalUrl: item.querySelector('.get')?.getAttribute('href'), streamUrl: clip && url, mark: clip?.textContent,
  };
}

// Whether both look the same.
export function isAlike(one, other) {
  const seen = (it) => [it.caption, it.thumbUrl, sources(it), it.screenUrl, it.originalUrl, it.streamUrl, it.mark, it.guestName,
    it.localTime?.slice(0, 16), shape(it), it.tags].join('\n');
  return seen(one) === seen(other);
}
