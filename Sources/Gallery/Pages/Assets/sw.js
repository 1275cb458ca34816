// Keeps what the guests' pages are made of, their scripts, styles and icon, and which language the last one had; of what they
// show, nothing: no page, no list, no photo. A page comes from the server each time; where it does not answer, one says so in
// that language. The server writes VERSION, NEEDED, OFFLINE and HEADERS above.

const NAME = `shell ${VERSION}`;
const PLACE = `/assets/${VERSION}/`;
// Of the guests' pages. A download is none, and goes past this script.
const PAGE = /^\/e\/[^/]+(\/show|\/p\/[^/]+)?$/;

// A new one waits until the pages of the one before it are closed. In Chromium one that took over while a guest went from page
// to page kept that page from ever coming.
addEventListener('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(NEEDED)));
});

addEventListener('activate', (event) => event.waitUntil(begin()));

async function begin() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith('shell ') && name !== NAME).map((name) => caches.delete(name)));
  await clients.claim();
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith(PLACE)) event.respondWith(part(event));
  else if (request.mode === 'navigate' && PAGE.test(pathname)) event.respondWith(page(event));
});

// Under which the language of the page that was looked at last is kept.
const LAST = '/e/language';

async function page(event) {
  let answer;
  try {
    answer = await fetch(event.request);
  } catch {
    return new Response(OFFLINE[await language()], { status: 503, headers: HEADERS });
  }
  const said = answer.headers.get('Content-Language');
  if (said) event.waitUntil(keep(LAST, new Response(said)));
  return answer;
}

// A guest's first page came before this script; the server has chosen that one's by the browser's.
async function language() {
  const kept = await caches.match(LAST, { cacheName: NAME });
  const wishes = [await kept?.text(), ...navigator.languages].filter(Boolean);
  const known = (wish) => Object.keys(OFFLINE).find((one) => one.slice(0, 2) === wish.slice(0, 2).toLowerCase());
  return wishes.map(known).find(Boolean) ?? 'en';
}

// What lies under such an address never changes.
async function part(event) {
  const { request } = event;
  const kept = await caches.match(request.url, { cacheName: NAME, ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.status === 200) event.waitUntil(keep(request.url, answer.clone()));
  return answer;
}

async function keep(url, answer) {
  try {
    const cache = await caches.open(NAME);
    await cache.put(url, answer);
  } catch {
    // A phone without room for it asks for it again.
  }
}
