// The guests' page, from what the server wrote to what it becomes: all photos within reach, new ones that arrive by
// themselves, a search that answers while one types.

import { Finder } from './finder.js';
import { FEWEST_SCREENS } from './layout.js';
import { List } from './list.js';
import { Live } from './live.js';
import { Picker, styled } from './picker.js';
import { noConnection, say } from './say.js';
import { learn, text } from './text.js';
import { make } from './tile.js';
import { Wall } from './wall.js';

await learn('wall');

const byID = (id) => document.getElementById(id);
const main = byID('photos');
const field = document.querySelector('[name=q]');
const counter = byID('count');
const { path, name, cursor, next } = main.dataset;
const wall = new Wall(main.querySelector('.wall'));
const list = new List(path, wall, () => {
  dropSettled();
  showEmptiness();
  lightbox?.renew();
  picker?.renew();
});

let lightbox;
let picker;
let hearts;
let sections;

const state = {
  count: Number(main.dataset.count),
  // How often the server has told it.
  told: 0,
  // How often this page has asked by itself.
  asked: 0,
  // New ones that wait until one has scrolled up.
  waiting: new Map(),
};

wall.adopt({ next, cursor, last: Number(main.dataset.last), search: field.defaultValue.trim(), album: main.dataset.album ?? '' });

// What is on the wall

function showCount(count) {
  state.count = count;
  counter.textContent = text('wall.photos', { count });
  const news = state.waiting.size ? `(${state.waiting.size}) ` : '';
  document.title = [news + name, sections?.name, counter.textContent].filter(Boolean).join(' · ');
  list.expect(() => state.count - state.waiting.size);
}

function showEmptiness() {
  const { search, source, timeline } = list;
  const older = byID('older');
  if (older && !timeline.next) older.parentElement.remove();
  main.querySelector('.empty')?.remove();
  if (timeline.count) return;
  let [title, hint] = search
    ? [text('wall.nothingFound', { search }), text('wall.searched')]
    : [text('wall.firstComing'), text('wall.firstHint')];
  if (source) [title, hint] = [text('wall.picksGone'), text('wall.picksGoneHint')];
  wall.root.after(make('div', { class: 'empty' }, make('h2', { dir: 'auto' }, title), make('p', {}, hint)));
}

// Where older ones come by themselves, this is for those who do not wait.
byID('older')?.addEventListener('click', (click) => {
  click.preventDefault();
  list.loader.load(list.tail).catch(noConnection);
});

// New photos

const pill = make('button', { class: 'pill', type: 'button', hidden: true });
main.append(pill);

const isAtTop = () => scrollY < 120;

let gathering;

function welcome(photo) {
  const { timeline } = list;
  picker.find(photo);
  // The script of a server of before shows what it was opened with.
  lightbox?.change?.(photo);
  if (timeline.find(photo.id)) {
    state.waiting.delete(photo.id);
    return wall.keepingPlace(() => timeline.replace(photo));
  }
  // What is being searched for is not what is new, and what comes into a section is told by its list.
  if (list.part || list.album) return;
  if (photo.sequence <= timeline.last) {
    // It was hidden, and is shown again.
    wall.keepingPlace(() => timeline.settle(photo), true);
    lightbox?.move();
    return showEmptiness();
  }
  state.waiting.set(photo.id, photo);
  // Those that come together slide in together.
  gathering ??= setTimeout(() => {
    gathering = null;
    offer();
  }, 250);
}

// What is in the list by now does not wait any more.
function dropSettled() {
  const before = state.waiting.size;
  for (const { id, sequence } of [...state.waiting.values()]) if (sequence <= list.timeline.last) state.waiting.delete(id);
  if (state.waiting.size < before) offer();
}

function offer() {
  const count = state.waiting.size;
  if (count && isAtTop() && !document.hidden) return takeWaiting();
  pill.hidden = !count;
  const news = text('wall.news', { count });
  pill.textContent = `${news} ↑`;
  if (count) say(news, false);
  showCount(state.count);
}

function takeWaiting() {
  const photos = [...state.waiting.values()].filter((photo) => photo.sequence > list.timeline.last);
  state.waiting.clear();
  pill.hidden = true;
  if (photos.length) {
    wall.arrive(photos);
    lightbox?.move();
    showEmptiness();
    say(text('wall.news', { count: photos.length }), false);
  }
  showCount(state.count);
}

pill.onclick = () => {
  scrollTo({ top: 0, behavior: 'instant' });
  takeWaiting();
  wall.reveal(0, true);
};
addEventListener('scroll', () => state.waiting.size && isAtTop() && takeWaiting(), { passive: true });
document.addEventListener('visibilitychange', () => document.hidden || offer());

function lose(id) {
  const cover = document.querySelector(`.cover[data-photo="${id}"]`);
  cover?.parentElement.classList.remove('has-cover');
  cover?.remove();
  state.waiting.delete(id);
  picker.lose(id);
  const { timeline } = list;
  const place = timeline.indexOf(id);
  if (place >= 0) {
    const hadFocus = document.activeElement?.closest('.wall li')?.id === id;
    wall.keepingPlace(() => timeline.remove(id), true);
    if (hadFocus && timeline.count) wall.reveal(Math.min(place, timeline.count - 1), true);
    showEmptiness();
  }
  lightbox?.leave(id, place);
  offer();
}

// The list is read anew where the server has forgotten what this page has missed, or photos have other times now.
async function compare(isForced = true) {
  // A page that cannot listen asks every few seconds: hearts are more to read, and wait for each fourth time.
  if (isForced || (state.asked += 1) % 4 === 0) hearts?.then((known) => known?.load());
  if (list.part) return isAtTop() ? list.find(list.search, undefined, list.source) : null;
  const { told } = state;
  const count = await list.renew({ isForced });
  const { album, part, timeline } = list;
  // A section of which all is known says itself how many there are.
  if (album && !part && !timeline.next) state.count = timeline.count;
  else if (count === null) return;
  // What the server has told meanwhile is newer.
  else if (told === state.told) state.count = count + timeline.arrivals + state.waiting.size;
  offer();
}

// Whether anything can arrive

const live = make('span', { class: 'live', hidden: true }, text('wall.live'));
counter.after(live);
const offline = make('p', { class: 'offline', role: 'status' });
let doubting;

function showConnection(isOpen) {
  if (isOpen && live.hidden) wall.tiles.retry();
  live.hidden = !isOpen;
  clearTimeout(doubting);
  if (isOpen) return offline.remove();
  // A short cut that heals by itself is not shown.
  doubting = setTimeout(() => {
    offline.textContent = text(navigator.onLine ? 'wall.noAnswer' : 'wall.offline');
    document.body.append(offline);
  }, navigator.onLine ? 4000 : 300);
}

addEventListener('online', () => wall.tiles.retry());

// Which photos are shown

const finder = new Finder(main, field, list, {
  begun: () => (kept = null),
  shown: () => {
    state.waiting.clear();
    offer();
  },
});
picker = new Picker(list, finder);

// Without their script sections are links.
const row = byID('sections');
if (row) import('./sections.js').then(({ Sections }) => {
  sections = new Sections(row, list, finder, { compare, counted: (count) => (state.count = count) });
}, () => {});

// One photo; what shows it is loaded once the page stands.

async function loadRest() {
  if (lightbox || !window.HTMLDialogElement) return;
  const { Lightbox } = await import('./lightbox.js');
  if (lightbox) return;
  lightbox = new Lightbox(byID('lightbox'), list, {
    name, picker,
    shown: async (box, photo) => {
      if (photo.streamUrl) import('./video.js').then(({ play }) => play(lightbox, photo), () => {});
      (await hearts)?.show(box, photo);
    },
    search: (tag) => {
      field.value = tag;
      finder.search(tag);
    },
  });
}

// The page's address for others. Without its script the link leads to the same at the page's end.

const opener = byID('open-share');
const share = byID('share');
let isSharing = false;

if (window.HTMLDialogElement) opener.onclick = async (click) => {
  click.preventDefault();
  if (isSharing) return;
  isSharing = true;
  try {
    const { sharePanel } = await import('./share.js');
    sharePanel(opener, share, name);
    opener.click();
  } catch {
    isSharing = false;
    share.scrollIntoView();
  }
};

// The way to any hour, which shorter walls do without.
wall.onRender = async () => {
  const { onRender } = wall;
  if (wall.layout.height <= FEWEST_SCREENS * innerHeight) return;
  wall.onRender = null;
  const loaded = await Promise.all([import('./scrubber.js'), styled('scrubber.css')]).catch(() => null);
  if (loaded) new loaded[0].Scrubber(main, wall);
  // It is asked for again when one scrolls on.
  else wall.onRender = onRender;
};

wall.root.onclick = async (click) => {
  const item = click.target.closest('li > a:first-child')?.parentElement;
  if (!item || click.ctrlKey || click.metaKey || click.shiftKey || click.button || !window.HTMLDialogElement) return;
  click.preventDefault();
  const photo = list.timeline.find(item.id);
  try {
    await loadRest();
    await lightbox.open(photo);
  } catch {
    // Without the script the larger image is what there is.
    location.assign(item.firstElementChild.href);
  }
};

// Hearts and comments, where the hosts take some.
const like = () => (hearts ??= import('./hearts.js').then(({ Hearts }) => new Hearts(list), () => (hearts = null)));

// A link to one photo leads to it however old it is.
async function openFromAddress() {
  const id = location.hash.slice(1);
  if (!/^[0-9a-f-]{36}$/.test(id)) return;
  try {
    const [photo] = await Promise.all([list.fetch(id), loadRest()]);
    if (photo) await lightbox.open(photo, true);
    else say(text('wall.photoGone'));
  } catch {
    noConnection();
  }
}

// Where one was before the page was loaded again.

const key = () => `wall ${location.pathname}${location.search}`;
let kept = null;
try {
  history.scrollRestoration = 'manual';
  const [visit] = performance.getEntriesByType('navigation');
  if (['reload', 'back_forward'].includes(visit?.type)) kept = JSON.parse(sessionStorage.getItem(key()));
  addEventListener('pagehide', () => sessionStorage.setItem(key(), JSON.stringify(wall.place())));
  // A guest who goes elsewhere before it is found is not taken back. The browser scrolls by itself, too.
  for (const deed of ['wheel', 'touchmove', 'pointerdown', 'keydown']) addEventListener(deed, () => (kept = null), { once: true, passive: true });
} catch {
  // A browser that stores nothing begins at the top.
}

if (!cursor) list.begin(() => kept);
if (main.dataset.live) {
  const lost = () => showConnection(false);
  new Live(`${path}/live`, main.dataset.live, {
    photo: welcome, gone: ({ id }) => lose(id), reset: () => compare().catch(lost),
    reactions: async (news) => (await like())?.hear(news),
    count: ({ photos }) => {
      state.told += 1;
      sections?.hear(photos);
      if (!list.album) showCount(photos);
    },
  }, {
    state: showConnection, offline: lost, ask: () => compare(false), refused: () => list.ask('photos', { limit: 1 }).catch(lost),
  });
}
if ('likes' in main.dataset) like();
openFromAddress();
// What was typed before the script was there.
if (field.value.trim() !== list.search) finder.search(field.value);
loadRest().catch(noConnection);
