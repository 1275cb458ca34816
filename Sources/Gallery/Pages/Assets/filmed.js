// Photos that move, as a host sees them.

import { element } from './markup.js';

// "0:42", "1:02:05", as guests read it; nothing where a file does not say it.
function length({ duration }) {
  if (duration == null) return null;
  const seconds = Math.max(1, Math.round(duration));
  const two = (number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export const facts = (photo) => [`${photo.width} × ${photo.height}`, length(photo)];

// What says on a tile that it is one, and how long.
export function badge(photo) {
  if (photo.kind !== 'video') return null;
  return element('span', { class: 'badge film' }, element('span', { 'aria-hidden': 'true' }, '▶ '), element('span', { class: 'unseen' }, 'Video '), length(photo) ?? '');
}

// A photo, or a video that can be played, large.
export function large(photo, name) {
  const poster = `/images/${photo.screenKey}`;
  if (photo.kind !== 'video') return element('img', { class: 'screen', src: poster, alt: name });
  return element('video', {
    class: 'screen', src: `/images/${photo.streamKey}`, poster, controls: true, playsinline: true, preload: 'metadata', 'aria-label': name,
  });
}
