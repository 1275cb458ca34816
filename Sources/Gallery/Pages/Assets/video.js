// A video in the place of the photo that one has opened: it plays when one says so, and ends when one goes on or closes.

import { styled } from './picker.js';
import { learn, text } from './text.js';
import { make } from './tile.js';

const ready = Promise.all([styled('video.css'), learn('video')]);
// In milliseconds.
const SOON = 20000;
let current;

function end() {
  if (!current) return;
  const { video, told, lightbox, watch } = current;
  const hadFocus = video.contains(document.activeElement);
  current = null;
  watch.disconnect();
  video.pause();
  // What is still on its way is not loaded any more.
  video.removeAttribute('src');
  video.load();
  video.remove();
  told.remove();
  if (hadFocus && lightbox.isOpen) lightbox.box.focus();
}

// One finger swipes as over a photo; the lower part of a video has its controls.
function swipes(video, lightbox) {
  let start = null;
  video.addEventListener('touchstart', ({ touches }) => {
    const { top, height } = video.getBoundingClientRect();
    start = touches.length === 1 && touches[0].clientY < top + height * 0.7 ? touches[0] : null;
  }, { passive: true });
  video.addEventListener('touchend', ({ changedTouches }) => {
    if (!start || visualViewport?.scale > 1.02) return;
    const x = changedTouches[0].clientX - start.clientX;
    const y = changedTouches[0].clientY - start.clientY;
    start = null;
    if (Math.abs(x) > 50 && Math.abs(x) > Math.abs(y)) lightbox.turn(x < 0 ? 1 : -1);
    else if (y > 90) lightbox.close();
  }, { passive: true });
}

// The space bar is for the video, unless a button has the focus. All other keys are what they are for photos.
function playsByKey(lightbox) {
  lightbox.box.addEventListener('keydown', (key) => {
    if (key.key !== ' ' || !current || key.target.closest('button, a, video, input, textarea')) return;
    key.preventDefault();
    const { video } = current;
    if (video.paused) video.play().catch(() => {});
    else video.pause();
  });
}

const known = new WeakSet();

// The picture below says which photo is on show.
const isShown = ({ image, isOpen }, photo) => isOpen && image.dataset.photo === photo.id;

// What is taken home is the video, and not its picture: where it is had from, the lightbox has said already.
function offer(box, photo) {
  const get = box.querySelector('#box-get');
  if (!photo.originalUrl) get.setAttribute('aria-label', text('video.get'));
  get.title = get.getAttribute('aria-label');
}

// Called for each video that is opened, and again where its words have changed.
export async function play(lightbox, photo) {
  await ready.catch(() => {});
  if (!isShown(lightbox, photo)) return;
  offer(lightbox.box, photo);
  const label = photo.caption || text('wall.video');
  if (current?.photo.id === photo.id) return current.video.setAttribute('aria-label', label);
  end();
  if (!known.has(lightbox)) playsByKey(lightbox);
  known.add(lightbox);
  const { box } = lightbox;
  const video = make('video', {
    src: photo.streamUrl, poster: photo.screenUrl, controls: true, playsinline: true, preload: 'metadata', tabindex: 0,
    'aria-label': label,
  });
  const told = make('p', { class: 'unplayable', role: 'alert', hidden: true }, text('video.unplayable'));
  let again = -Infinity;
  video.addEventListener('error', (failed) => {
    if (current?.video !== video) return;
    // The address of a bucket's has ended, say; asked anew it goes on. What fails twice at once cannot be played.
    told.hidden = video.currentTime > 0 && failed.timeStamp - again > SOON;
    if (!told.hidden) return;
    again = failed.timeStamp;
    const { currentTime } = video;
    video.load();
    video.currentTime = currentTime;
    video.play().catch(() => {});
  });
  // Without a decoder for its pictures, a browser plays the sound alone and calls that no error.
  video.addEventListener('loadedmetadata', () => {
    if (current?.video === video && !video.videoWidth) told.hidden = false;
  });
  swipes(video, lightbox);
  box.querySelector('.stage').after(video, told);
  // It ends when another one is shown, or none.
  const watch = new MutationObserver(() => isShown(lightbox, photo) || end());
  watch.observe(lightbox.image, { attributes: true, attributeFilter: ['src'] });
  current = { video, told, photo, lightbox, watch };
}
