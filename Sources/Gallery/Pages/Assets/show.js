// A screen in the hall: one photo after the other for hours, without a hand on it. What cannot be loaded is passed over; a
// cut of the network is not seen for as long as the browser still has what it shows.

import { element } from './element.js';
import { Live } from './live.js';
import { Rounds } from './rounds.js';
import { learn, text } from './text.js';
import { within } from './within.js';

await learn('show');

const main = document.getElementById('show');
const [screen, caption, wait, said] = ['screen', 'words', 'wait', 'said'].map((id) => document.getElementById(id));
const [back, pause, next, whole] = ['back', 'pause', 'next', 'whole'].map((id) => document.getElementById(id));
const { path } = main.dataset;
const seconds = Number(main.dataset.seconds);
const still = matchMedia('(prefers-reduced-motion: reduce)');
// What takes longer is passed over, in milliseconds.
const patience = 20000;

document.documentElement.classList.add('js');

async function ask(cursor) {
  const query = new URLSearchParams({ limit: 100, ...(cursor && { cursor }) });
  const answer = await fetch(`${path}/photos?${query}`, {
    headers: { Accept: 'application/json' }, signal: within(patience),
  });
  // The PIN was changed, the event is over, or it was deleted: the page itself says which.
  if ([401, 403, 404, 410].includes(answer.status)) location.reload();
  if (!answer.ok) throw new Error(`the photos were answered with ${answer.status}`);
  return (await answer.json()).data;
}

const rounds = new Rounds(ask);

// A screen that its host has opened has the key, behind the # that no server and no log sees: its code opens the door.
const key = /^#k=([\w-]{22})$/.exec(location.hash)?.[1];
if (key) {
  const plain = main.querySelector('.door svg');
  const code = element('img', { class: 'qr', alt: plain?.getAttribute('aria-label') ?? '', width: 33, height: 33 });
  code.onload = () => plain?.replaceWith(code);
  code.src = `${path}/qr.svg?k=${key}`;
}

// One photo

let shown;
let isPaused = false;
let timer;
// Where a viewer goes on while a photo is on its way, that one is not shown any more.
let turn = 0;

async function show(photo) {
  const image = element('img', { src: photo.screenUrl, width: photo.width, height: photo.height, alt: photo.caption || text('show.photo') });
  await decoded(image);
  return () => {
    const before = [...screen.children];
    screen.append(image);
    // Where the page is not seen, nothing moves to its end.
    if (still.matches || document.hidden) before.forEach((old) => old.remove());
    else {
      image.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 900, easing: 'ease-in-out' }).finished
        .then(() => before.forEach((old) => old.remove()), () => {});
    }
    caption.textContent = photo.caption;
    said.textContent = [photo.caption || text('show.photo'), photo.localTime?.slice(11, 16)].filter(Boolean).join(', ');
    shown = photo;
    wait.hidden = true;
  };
}

// Fails where it takes too long; it is not loaded any further then.
async function decoded(image) {
  let late;
  const end = new Promise((_, fail) => (late = setTimeout(() => fail(new Error('the image does not come')), patience)));
  try {
    await Promise.race([image.decode(), end]);
  } catch (problem) {
    image.removeAttribute('src');
    throw problem;
  } finally {
    clearTimeout(late);
  }
}

// Goes on to the next that can be loaded. A few in a row that cannot are a cut, which is waited for.
async function go(choose = () => rounds.next()) {
  turn += 1;
  const mine = turn;
  clearTimeout(timer);
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      const photo = await choose();
      if (mine !== turn) return;
      if (!photo) {
        if (!rounds.size) empty();
        break;
      }
      const put = await show(photo).catch(() => null);
      if (mine !== turn) return;
      // It may have been taken back while it was on its way.
      if (put && rounds.has(photo.id)) {
        put();
        break;
      }
    }
  } catch {
    // No connection: what is on the screen stays.
  }
  if (mine === turn) later();
}

function later() {
  clearTimeout(timer);
  // A photo is held, never a screen without one.
  if (!isPaused || !shown) timer = setTimeout(go, seconds * 1000);
}

function empty() {
  screen.replaceChildren();
  caption.textContent = '';
  shown = null;
  wait.hidden = false;
}

// What happens meanwhile

let gathering;

function welcome(photo) {
  rounds.welcome(photo);
  begin();
}

// The first one is not waited for.
function begin() {
  if (shown) return;
  clearTimeout(gathering);
  gathering = setTimeout(go, 200);
}

function lose({ id }) {
  rounds.lose(id);
  leave(id);
}

function leave(id) {
  // The hosts have taken it back, so it leaves the screen now.
  if (shown?.id === id) {
    screen.replaceChildren();
    caption.textContent = '';
    shown = null;
    go();
  }
}

new Live(`${path}/live`, main.dataset.live, {
  photo: welcome, gone: lose, count: () => {}, reset: () => rounds.forget(),
}, {
  state: (isOpen) => main.classList.toggle('cut', !isOpen),
  refused: () => ask().catch(() => {}),
  ask: async () => {
    rounds.compare(await ask()).forEach(leave);
    if (rounds.size) begin();
  },
});

// Hands

function setPaused(isOn) {
  isPaused = isOn;
  pause.setAttribute('aria-pressed', String(isOn));
  pause.textContent = text(isOn ? 'show.goOn' : 'show.pause');
  isOn ? clearTimeout(timer) : later();
}

const goBack = () => go(() => rounds.before());

async function toggleWhole() {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen({ navigationUI: 'hide' });
  } catch {
    said.textContent = text('show.noWhole');
  }
}

if (!document.documentElement.requestFullscreen) whole.hidden = true;
back.onclick = goBack;
next.onclick = () => go();
pause.onclick = () => setPaused(!isPaused);
whole.onclick = toggleWhole;
// With the focus on it a button would stay in sight, and the space bar would press it. Who uses keys keeps it.
document.getElementById('deeds').addEventListener('click', (click) => click.detail && document.activeElement.blur());
document.addEventListener('fullscreenchange', () => {
  whole.textContent = text(document.fullscreenElement ? 'show.leaveWhole' : 'show.whole');
});
addEventListener('keydown', (key) => {
  if (key.altKey || key.ctrlKey || key.metaKey) return;
  const isButton = key.target.closest?.('button, a');
  if (key.key === 'ArrowRight' || key.key === 'PageDown') go();
  else if (key.key === 'ArrowLeft' || key.key === 'PageUp') goBack();
  else if (key.key === ' ' && !isButton) setPaused(!isPaused);
  else if (key.key.toLowerCase() === 'f') toggleWhole();
  else return;
  key.preventDefault();
});

// Nothing but the photo, until a hand moves.
let resting;
function wake() {
  main.classList.remove('resting');
  clearTimeout(resting);
  resting = setTimeout(() => main.classList.add('resting'), 4000);
}
for (const kind of ['pointermove', 'pointerdown', 'keydown', 'focusin']) addEventListener(kind, wake, { passive: true });
wake();

// A screen that sleeps shows nothing. The browser gives the lock back whenever the page is hidden.
async function stayAwake() {
  if (document.hidden || !navigator.wakeLock) return;
  try {
    await navigator.wakeLock.request('screen');
  } catch {
    // Its battery is low, or the browser has its reasons; the machine's own settings decide.
  }
}
document.addEventListener('visibilitychange', stayAwake);
stayAwake();
go();
