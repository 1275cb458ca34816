// Photos that move, as a host sees them.

import { element } from './markup.js';

// In milliseconds.
const SOON = 20000;

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
  const video = element('video', {
    class: 'screen', src: `/images/${photo.streamKey}`, poster, controls: true, playsinline: true, preload: 'metadata', 'aria-label': name,
  });
  const told = element('p', { class: 'problem', role: 'alert', hidden: true }, 'This browser cannot play the video.');
  let again = -Infinity;
  video.addEventListener('error', (failed) => {
    // The address of a bucket's has ended, say; asked anew it goes on. What fails twice at once cannot be played.
    told.hidden = failed.timeStamp - again > SOON;
    if (!told.hidden) return;
    again = failed.timeStamp;
    const { currentTime } = video;
    video.load();
    video.currentTime = currentTime;
    if (currentTime > 0) video.play().catch(() => {});
  });
  // Without a decoder for its pictures, a browser plays the sound alone and calls that no error.
  video.addEventListener('loadedmetadata', () => {
    if (!video.videoWidth) told.hidden = false;
  });
  const both = new DocumentFragment();
  both.append(video, told);
  return both;
}
