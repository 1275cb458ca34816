// Keeps what the guests' pages are made of, their scripts, styles and icon, and nothing that they show: no page, no list, no
// photo. A page comes from the server each time; where it does not answer, one says so in words. The server writes VERSION,
// NEEDED, OFFLINE and HEADERS above.

const NAME = `shell ${VERSION}`;
const PLACE = `/assets/${VERSION}/`;
// Of the guests' pages. A download is none, and goes past this script.
const PAGE = /^\/e\/[^/]+(\/show|\/p\/[^/]+)?$/;

// A new one waits until the pages of the one before it are closed: one that takes over while a guest goes from page to page has
// held up the page for good, in Chromium.
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
  else if (request.mode === 'navigate' && PAGE.test(pathname)) event.respondWith(page(request));
});

async function page(request) {
  try {
    return await fetch(request);
  } catch {
    return new Response(OFFLINE, { status: 503, headers: HEADERS });
  }
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
