// The guests' page, from what the server wrote to what it becomes: photos that arrive by themselves, older ones that come
// while one scrolls, a search that answers while one types.

import { Wall, make } from './wall.js';
import { compared } from './position.js';
import { Live } from './live.js';
import { Lightbox } from './lightbox.js';
import { say, sharePanel } from './share.js';

const main = document.getElementById('photos');
const field = document.querySelector('[name=q]');
const counter = document.getElementById('count');
const { path, name } = main.dataset;
const wall = new Wall(main.querySelector('.wall'));

const state = {
  count: Number(main.dataset.count),
  // Where older photos begin; empty when all are here.
  next: main.dataset.next,
  // The number of the last photo that had come: what has a higher one arrives, whenever it was taken.
  last: Number(main.dataset.last),
  search: field.value.trim(),
  // New ones that wait until one has scrolled up.
  waiting: new Map(),
  isLoading: false,
};

document.documentElement.classList.add('js');

const words = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

// Nothing where the list is still the one that has this tag.
async function ask(parameters, known = '') {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  const headers = { Accept: 'application/json', ...(known && { 'If-None-Match': known }) };
  const answer = await fetch(`${path}/photos?${query}`, { headers });
  if (answer.status === 304) return null;
  // The PIN was changed, or the event is over: the page itself says which.
  if ([401, 403, 410].includes(answer.status)) location.reload();
  if (!answer.ok) throw new Error(`the photos were answered with ${answer.status}`);
  return { ...(await answer.json()).data, tag: answer.headers.get('ETag') };
}

// What is on the wall

function showCount(count) {
  state.count = count;
  counter.textContent = words(count, 'photo', 'photos');
  const news = state.waiting.size ? `(${state.waiting.size}) ` : '';
  document.title = `${news}${name} · ${counter.textContent}`;
}

function showEmptiness() {
  main.querySelector('.empty')?.remove();
  if (wall.size) return;
  const [title, text] = state.search
    ? [`Nothing found for “${state.search}”`, 'Captions, tags, names of files and times such as 21:45 are looked through.']
    : ['The first photos are on their way', 'They appear here by themselves, seconds after they are taken.'];
  wall.list.after(make('div', { class: 'empty' }, make('h2', { dir: 'auto' }, title), make('p', {}, text)));
}

let older = document.getElementById('older');

function showOlder() {
  if (!state.next) return older?.parentElement.remove(), (older = null);
  if (!older) {
    older = make('a', { class: 'button', id: 'older', rel: 'next' });
    (main.querySelector('.empty') ?? wall.list).after(make('p', { class: 'more' }, older));
    watch();
  }
  const query = new URLSearchParams(state.search ? { q: state.search } : {});
  query.set('cursor', state.next);
  older.href = `${path}?${query}`;
  older.textContent = 'Older photos';
}

// Older photos

async function loadOlder() {
  if (!state.next || state.isLoading) return;
  state.isLoading = true;
  const { next, search } = state;
  older.textContent = 'Loading …';
  try {
    const { photos, next: following } = await ask({ cursor: next, q: search, limit: 60 });
    if (search !== state.search || next !== state.next) return;
    wall.append(photos);
    state.next = following ?? '';
    showOlder();
  } catch {
    if (older) older.textContent = 'No connection. Try again';
  } finally {
    state.isLoading = false;
  }
  // Where so few came that the end is still in sight, nothing would be noticed.
  if (older && older.getBoundingClientRect().top < innerHeight + 800 && older.textContent === 'Older photos') loadOlder();
}

function watch() {
  older.onclick = (click) => {
    click.preventDefault();
    loadOlder();
  };
  new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && loadOlder(), { rootMargin: '1500px' })
    .observe(older);
}

// New photos

const pill = make('button', { class: 'pill', type: 'button', hidden: true });
main.append(pill);

const isAtTop = () => scrollY < 120;

let gathering;

function welcome(photo) {
  if (wall.find(photo.id)) {
    state.waiting.delete(photo.id);
    return wall.replace(photo);
  }
  // What is being searched for is not what is new.
  if (state.search) return;
  if (photo.sequence <= state.last) {
    // It was hidden, and is shown again. Below the last one it comes with the older ones.
    if (!state.next || compared(photo.position, wall.last?.dataset.at ?? '0.0') > 0) {
      wall.settle([photo]);
      showEmptiness();
    }
    return;
  }
  state.waiting.set(photo.id, photo);
  // Those that come together slide in together.
  gathering ??= setTimeout(() => {
    gathering = null;
    offer();
  }, 250);
}

function offer() {
  const count = state.waiting.size;
  if (count && isAtTop() && !document.hidden) return takeWaiting();
  pill.hidden = !count;
  pill.textContent = `${words(count, 'new photo', 'new photos')} ↑`;
  if (count) say(words(count, 'new photo', 'new photos'), false);
  showCount(state.count);
}

function takeWaiting() {
  const photos = [...state.waiting.values()];
  state.waiting.clear();
  pill.hidden = true;
  if (photos.length) {
    wall.arrive(photos);
    state.last = Math.max(state.last, ...photos.map((photo) => photo.sequence));
    showEmptiness();
    say(words(photos.length, 'new photo', 'new photos'), false);
  }
  showCount(state.count);
}

pill.onclick = () => {
  scrollTo({ top: 0 });
  takeWaiting();
  wall.newest?.querySelector('a').focus({ preventScroll: true });
};
addEventListener('scroll', () => state.waiting.size && isAtTop() && takeWaiting(), { passive: true });
document.addEventListener('visibilitychange', () => document.hidden || offer());

function lose(id) {
  state.waiting.delete(id);
  const item = wall.find(id);
  if (item) {
    if (lightbox.isOpen) lightbox.leave(item);
    wall.remove(id);
    showEmptiness();
  }
  offer();
}

// The server has forgotten what this page has missed, or photos have other times now: the list is read anew. Who has scrolled
// far down keeps what is there, with what is known of it now.
async function compare() {
  show(await ask({ q: state.search, limit: 60 }));
}

// The same where the server has no room to tell of it: the list is answered only when it is another.
let listed = {};

async function look() {
  const { search } = state;
  const list = await ask({ q: search, limit: 60 }, listed.search === search ? listed.tag : '');
  if (!list || search !== state.search) return;
  listed = { search, tag: list.tag };
  show(list);
}

function show({ photos, next }) {
  if (isAtTop() || !photos.some((photo) => wall.find(photo.id))) {
    const shown = lightbox.shown?.id;
    state.waiting.clear();
    wall.clear();
    wall.append(photos);
    state.next = next ?? '';
    state.last = Math.max(state.last, ...photos.map((photo) => photo.sequence));
    if (shown && wall.find(shown)) lightbox.show(wall.find(shown));
  } else {
    const last = photos.at(-1)?.position ?? '0.0';
    const known = new Set(photos.map((photo) => photo.id));
    [...wall.list.children].filter((item) => compared(item.dataset.at, last) >= 0 && !known.has(item.id)).forEach((item) => lose(item.id));
    photos.forEach(welcome);
  }
  showEmptiness();
  showOlder();
  offer();
}

// Whether anything can arrive

const live = make('span', { class: 'live', hidden: true }, 'Live');
counter.after(live);
const offline = make('p', { class: 'offline', role: 'status' });
let doubting;

function showConnection(isOpen) {
  live.hidden = !isOpen;
  clearTimeout(doubting);
  if (isOpen) return offline.remove();
  // A short cut that heals by itself is not shown.
  doubting = setTimeout(() => {
    offline.textContent = navigator.onLine ? 'The gallery does not answer. Trying again …' : 'You are offline. New photos come when you are back.';
    document.body.append(offline);
  }, navigator.onLine ? 4000 : 300);
}

// Search

let typing;
let question;

async function search(text) {
  clearTimeout(typing);
  text = text.trim();
  if (text === state.search && !question) return;
  question?.abort();
  question = new AbortController();
  const mine = question;
  state.search = text;
  history.replaceState(null, '', text ? `${path}?q=${encodeURIComponent(text)}` : path);
  main.setAttribute('aria-busy', 'true');
  try {
    const { photos, next } = await ask({ q: text, limit: 60 });
    if (mine !== question) return;
    state.waiting.clear();
    wall.clear();
    wall.append(photos);
    state.next = next ?? '';
    showEmptiness();
    showOlder();
    offer();
    scrollTo({ top: 0 });
    say(text ? `${words(photos.length, 'photo', 'photos')}${next ? ' and more' : ''} found` : 'All photos', false);
  } catch {
    if (mine === question) say('No connection, so nothing was searched');
  } finally {
    if (mine === question) {
      question = null;
      main.removeAttribute('aria-busy');
    }
  }
}

field.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => search(field.value), 500);
});
field.form.addEventListener('submit', (submit) => {
  submit.preventDefault();
  search(field.value);
  field.blur();
});

// One photo

const lightbox = new Lightbox(document.getElementById('lightbox'), wall, {
  name,
  total: () => (state.search ? 0 : state.count),
  more: loadOlder,
  search: (tag) => {
    field.value = tag;
    search(tag);
  },
});

wall.list.addEventListener('click', (click) => {
  const item = click.target.closest('li > a:first-child')?.parentElement;
  if (!item || click.ctrlKey || click.metaKey || click.shiftKey || click.button || !lightbox.box.showModal) return;
  click.preventDefault();
  lightbox.open(item);
});

// A link to one photo leads to it however old it is.
async function openFromAddress() {
  const id = location.hash.slice(1);
  if (!/^[0-9a-f-]{36}$/.test(id)) return;
  for (let tries = 0; !wall.find(id) && state.next && tries < 100; tries += 1) {
    const { next } = state;
    await loadOlder();
    if (next === state.next) break;
  }
  const item = wall.find(id);
  if (item) lightbox.open(item, true);
  else say('That photo is not here any more');
}

sharePanel(document.getElementById('open-share'), document.getElementById('share'), name);
if (older) watch();
if (main.dataset.live) {
  const lost = () => showConnection(false);
  new Live(`${path}/live`, main.dataset.live, {
    photo: welcome, gone: ({ id }) => lose(id), count: ({ photos }) => showCount(photos), reset: () => compare().catch(lost),
  }, {
    state: showConnection, offline: lost, ask: look, refused: () => ask({ limit: 1 }).catch(lost),
  });
}
openFromAddress();
