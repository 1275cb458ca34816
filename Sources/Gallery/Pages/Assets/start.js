// What is seen first is there without scripts, and not to wait for them: they are loaded when the page stands, as soon as a guest
// does something, or after a while where an image keeps the page from standing.

const LONGEST_WAIT = 4000;
const NAMES = ['guest', 'finder', 'list', 'live', 'wall', 'tiles', 'tile', 'timeline', 'layout', 'loader', 'position', 'say', 'text', 'picker'];
const language = document.documentElement.lang.slice(0, 2);

document.documentElement.classList.add('js');

// A cookie keeps the choice. Sent to others, the address is not to choose for them.
const address = new URL(location.href);
if (address.searchParams.has('lang')) {
  address.searchParams.delete('lang');
  history.replaceState(history.state, '', address);
}

let loading;

// All at once: otherwise each would be asked for by the one that needs it.
const load = () => (loading ??= Promise.all([...NAMES, `wall-${language}`].map((name) => import(`./${name}.js`))));

// A tap that comes before them is not lost.
async function early(click) {
  const link = click.target.closest('.wall a, .tools button');
  // What is prevented was done by the scripts already.
  if (!link || click.defaultPrevented || click.ctrlKey || click.metaKey || click.shiftKey) return;
  click.preventDefault();
  try {
    await load();
    link.click();
  } catch {
    if (link.href) location.assign(link.href);
  }
}

async function start() {
  try {
    await load();
    if (document.querySelector('.cover')) await import('./cover.js');
  } catch {
    // Without them the page is the list that it is.
  }
  removeEventListener('click', early);
}

// Comes last: it is for those who come again, or install the page. Browsers have it by https only, and some never.
async function keepShell() {
  try {
    await navigator.serviceWorker?.register('/e/sw.js', { scope: '/e/' });
  } catch {
    // The page is as it is without it.
  }
}

addEventListener('click', early);
// Without it the button waits until the page is loaded again.
if (document.getElementById('open-uploads')) import('./uploads.js').catch(() => {});
if (document.readyState === 'complete') keepShell();
else addEventListener('load', keepShell, { once: true });
for (const deed of ['pointerdown', 'keydown', 'scroll']) addEventListener(deed, start, { once: true, passive: true });
// A guest who comes back, or by a link to one photo, is not where the page begins.
const isReturning = performance.getEntriesByType('navigation')[0]?.type !== 'navigate';
if (location.hash || isReturning || document.readyState === 'complete') start();
else {
  addEventListener('load', start, { once: true });
  setTimeout(start, LONGEST_WAIT);
}
