// What a status says, in the parts of the page: the headline, its counts, what needs a look, cameras, destinations, the disk.

import { element } from './element.js';
import { bytes, clock, counted, span } from './words.js';

const at = (id) => document.getElementById(id);

// Only what has changed is touched: a screen reader reads what is touched, and a person may have selected it.
function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function list(place, items) {
  const made = element('ul', {}, ...items);
  if (place.innerHTML !== made.innerHTML) place.replaceChildren(...made.children);
}

export function showHeadline({ tone, title, detail }) {
  at('headline').dataset.tone = tone;
  say(at('headline-title'), title);
  say(at('headline-detail'), detail);
}

const groups = [
  ['queued', 'waiting'], ['uploading', 'uploading'], ['awaiting', 'processing'], ['completed', 'delivered'],
  ['failed', 'failed'],
];

export function showCounts(status) {
  list(at('counts'), groups.map(([group, word]) =>
    element('div', { 'data-group': group, 'data-none': status.jobs[group] === 0 },
      element('dt', {}, word), element('dd', {}, status.jobs[group].toLocaleString('en')))));
  const parts = [];
  const rate = status.destinations.reduce((sum, place) => sum + (place.rate?.photosPerMinute ?? 0), 0);
  if (rate > 0) parts.push(`${rate.toLocaleString('en', { maximumFractionDigits: 1 })} photos a minute`);
  const drained = Math.max(...status.destinations.map((place) => place.drainedInSeconds ?? 0), 0);
  if (drained > 0) parts.push(`all there in ${span(drained)}`);
  if (status.oldest) parts.push(`${status.oldest.name} waits since ${clock(status.oldest.since)}`);
  say(at('pace'), parts.join(' · '));
}

const trouble = ({ at: moment, photo, reason, advice }, place) =>
  element('li', {},
    element('p', {}, element('b', {}, place), ' ', photo && element('bdi', {}, `${photo}: `), reason),
    advice && !advice.startsWith('nothing:') && element('p', { class: 'advice' }, `To do: ${advice}`),
    moment && element('p', { class: 'soft' }, clock(moment)));

// What the headline has said is not said again.
export function showTroubles(status, headline, problem) {
  const items = [];
  const isSaid = ({ reason }) => headline.detail.includes(reason);
  if (problem) items.push(trouble({ reason: problem }, 'This bridge'));
  for (const alert of status.alerts ?? []) {
    if (!headline.detail.includes(alert.text)) {
      items.push(trouble({ at: alert.since, reason: alert.text, advice: alert.advice }, alert.subject ?? 'Alert'));
    }
  }
  for (const place of status.destinations) {
    const hold = place.hold;
    if (hold && !isSaid(hold)) items.push(trouble({ at: hold.since, reason: hold.reason, advice: hold.advice }, shortName(place.url)));
    const last = place.lastError;
    if (last && last.reason !== hold?.reason && !isSaid(last)) items.push(trouble(last, shortName(place.url)));
  }
  for (const camera of status.cameras) {
    if (camera.lastError && !isSaid(camera.lastError)) items.push(trouble(camera.lastError, camera.name ?? camera.address));
  }
  for (const missing of status.missing.slice(0, 20)) {
    items.push(trouble({ photo: missing.path, reason: missing.reason }, missing.camera));
  }
  if (status.missing.length > 20) items.push(element('li', {}, `and ${status.missing.length - 20} more that are not here`));
  for (const note of status.notes) items.push(trouble({ reason: note }, 'Note'));
  at('troubles').hidden = items.length === 0;
  list(at('trouble-list'), items);
}

const good = new Set(['listing', 'fetching', 'idle']);
const bad = new Set(['lost', 'held', 'suspect']);
const toneOf = (phase) => (good.has(phase) ? 'good' : bad.has(phase) ? 'bad' : 'warning');

export function showCameras(cameras) {
  const items = cameras.map((camera) => element('li', { 'data-tone': toneOf(camera.phase) },
    element('h3', { dir: 'auto' }, camera.name ?? camera.address),
    element('p', {}, camera.state ?? 'not seen in this run'),
    element('p', { class: 'soft' }, [
      camera.name ? camera.address : null,
      camera.toFetch > 0 ? `${counted(camera.toFetch, 'photo', 'photos')} to fetch` : null,
      camera.since && !good.has(camera.phase) ? `since ${clock(camera.since)}` : null,
    ].filter(Boolean).join(' · '))));
  list(at('cameras'), items.length ? items : [element('li', {}, 'No camera yet.')]);
}

// A folder by its last part, a server by its host.
export function shortName(url) {
  const [scheme, ...parts] = url.split('/').filter(Boolean);
  const place = scheme === 'file:' ? parts.at(-1) : parts[0];
  return (place ?? url).split('@').at(-1).split('?')[0];
}

function place(one) {
  const { queued, uploading, awaiting, completed, failed } = one.jobs;
  const all = queued + uploading + awaiting + completed + failed;
  const isBarred = one.slots === 0;
  const tone = failed > 0 || one.hold?.cause ? 'bad' : one.hold || isBarred ? 'warning' : 'good';
  const times = one.shutterToConfirmed;
  return element('li', { 'data-tone': tone },
    element('h3', { dir: 'auto' }, shortName(one.url)),
    element('progress', { max: Math.max(all, 1), value: completed, 'aria-label': `${completed} of ${all} are there` }),
    element('p', {}, `${completed.toLocaleString('en')} of ${counted(all, 'photo', 'photos')}`,
      failed > 0 ? `, ${failed} failed` : '', one.hold ? '' : uploading > 0 ? `, ${uploading} being sent` : ''),
    one.hold && element('p', { class: 'reason' }, one.hold.reason),
    one.hold && element('p', { class: 'advice' }, `To do: ${one.hold.advice}`),
    one.edits?.conflicts > 0 && element('p', { class: 'reason' },
      `${counted(one.edits.conflicts, 'edit', 'edits')} not taken there: the photo says which`),
    element('p', { class: 'soft' }, [
      one.edits?.waiting > 0 ? `${counted(one.edits.waiting, 'edit', 'edits')} not sent yet` : null,
      one.way,
      one.rate?.photosPerMinute > 0
        ? `${one.rate.photosPerMinute.toFixed(1)} photos, ${bytes(one.rate.bytesPerMinute)} a minute` : null,
      one.drainedInSeconds ? `all there in ${span(one.drainedInSeconds)}` : null,
      times ? `half of the photos are there ${span(times.medianSeconds)} after the shutter, 95 in 100 within ${span(times.p95Seconds)}` : null,
      times?.inTimeShare != null ? `${(times.inTimeShare * 100).toFixed(0)} % as promised` : null,
    ].filter(Boolean).join(' · ')),
    element('p', { class: 'soft url' }, one.url));
}

export function showPlaces(places) {
  list(at('places'), places.length ? places.map(place) : [element('li', {}, 'None: photos are kept in the spool.')]);
}

export function showMachine({ spool, photos, unattended, window: opened }) {
  const items = [];
  if (spool) {
    const room = spool.photosLeft == null ? '' : `, room for about ${counted(spool.photosLeft, 'photo', 'photos')}`;
    items.push(element('li', { 'data-tone': spool.hold ? 'bad' : 'good' }, element('h3', {}, 'Disk'),
      element('p', {}, `${bytes(spool.free)} free${room}`), spool.hold && element('p', { class: 'reason' }, spool.hold)));
  }
  const kinds = [
    ['staged', 'here'], ['receiving', 'arriving'], ['announced', 'on the camera'], ['duplicate', 'twice the same'],
    ['abandoned', 'given up for now'], ['lost', 'lost'], ['filtered', 'left on the card'],
  ];
  const counts = kinds.filter(([state]) => photos[state] > 0).map(([state, word]) => `${photos[state].toLocaleString('en')} ${word}`);
  items.push(element('li', {}, element('h3', {}, 'Photos'), element('p', {}, counts.join(', ') || 'none yet')));
  if (unattended > 0) {
    items.push(element('li', { 'data-tone': 'warning' }, element('h3', {}, 'Left out'),
      element('p', {}, `${counted(unattended, 'photo was', 'photos were')} shot while no bridge ran: ‘tetherline events take’ `
        + 'downloads them.')));
  }
  if (opened?.closedAt) {
    items.push(element('li', { 'data-tone': 'warning' }, element('h3', {}, 'Closed'),
      element('p', {}, `The event takes no photos since ${clock(opened.closedAt)}.`)));
  }
  list(at('machine'), items);
}
