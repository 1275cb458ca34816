// The events of a host: the list of them, and one with its guests' link, its counts and what can be done to it.

import { Album, Failures } from './album.js';
import { Live, api } from './api.js';
import { Clocks, zoneField, zoneWish } from './clocks.js';
import { DropZone } from './dropzone.js';
import { Ending, ending } from './ending.js';
import { Liked, reactionFields, reactionWish } from './liked.js';
import {
  attempt, check, closeButton, confirmed, counted, day, dialog, element, field, form, localMoment, moment, notify, size,
} from './markup.js';
import { save } from './saving.js';
import { Waiting, guestUploadFields, guestUploadWish, guestUploadWords } from './waiting.js';

// The list

// A stream for each event would take all the connections that a browser has for one server.
const listInterval = 5000;

export async function listView() {
  const list = element('ul', { class: 'events' });
  const empty = element('p', { class: 'hint', hidden: true }, 'No events yet. Make the first one.');
  const items = new Map();

  const show = (events) => {
    const gone = new Set(items.keys());
    let before = null;
    for (const event of events) {
      if (!items.has(event.id)) items.set(event.id, listItem(event));
      const { item, update } = items.get(event.id);
      update(event);
      // Only what is not in its place is moved: an element that moves loses the focus.
      const place = before ? before.nextElementSibling : list.firstElementChild;
      if (place !== item) list.insertBefore(item, place);
      before = item;
      gone.delete(event.id);
    }
    for (const id of gone) {
      items.get(id).item.remove();
      items.delete(id);
    }
    empty.hidden = events.length > 0;
  };

  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      show(await api.get('/events'));
    } catch {
      // The next time will do; whatever is pressed meanwhile says what is wrong.
    }
  }, listInterval);

  const add = form({ id: 'new-event' }, eventFields(), 'Make the event', async (values, made) => {
    const event = await api.post('/events', { ...eventWish(values), ...(values.pin ? { pin: values.pin } : {}) });
    made.reset();
    notify(`“${event.name}” is made.`);
    await attempt(async () => show(await api.get('/events')));
    items.get(event.id)?.item.querySelector('a').focus();
  });

  try {
    show(await api.get('/events'));
  } catch (problem) {
    clearInterval(timer);
    throw problem;
  }
  return {
    title: 'Your events',
    content: element('div', { class: 'columns' },
      element('section', { 'aria-labelledby': 'events-title' }, element('h1', { id: 'events-title' }, 'Your events'), empty, list),
      element('section', { class: 'box', 'aria-labelledby': 'new-title' }, element('h2', { id: 'new-title' }, 'New event'), add)),
    leave: () => clearInterval(timer),
  };
}

function listItem(event) {
  const name = element('strong', { dir: 'auto' });
  const when = element('span', { class: 'hint' });
  const counts = element('span', { class: 'hint' });
  const item = element('li', {}, element('a', { href: `#event/${event.id}` }, name, when, counts));
  const update = ({ name: text, startsAt, expiresAt, counts: { photos, pending, failed, waiting } }) => {
    name.textContent = text;
    when.textContent = [startsAt && day(startsAt), ending({ expiresAt })].filter(Boolean).join(' · ');
    counts.textContent = [
      counted(photos, 'photo', 'photos'), pending && `${pending.toLocaleString('en')} under way`, failed && `${failed.toLocaleString('en')} failed`,
      waiting > 0 && `${waiting.toLocaleString('en')} waiting for you`,
    ].filter(Boolean).join(' · ');
  };
  return { item, update };
}

// Its form, for a new one and for one that is there

function eventFields(event = {}) {
  const pinHint = `${event.hasPin ? 'Empty leaves it as it is' : 'Empty for none'}. Guests with the QR code never type it. Four digits are soon guessed: choose six or more.`;
  const pin = field(event.hasPin ? 'New PIN' : 'PIN', {
    name: 'pin', inputmode: 'numeric', pattern: '[0-9]{4,12}', title: 'A PIN has 4 to 12 digits.', autocomplete: 'off',
  }, pinHint);
  const makePin = () => {
    const [chance] = crypto.getRandomValues(new Uint32Array(1));
    pin.querySelector('input').value = String(chance % 1000000).padStart(6, '0');
  };
  pin.append(element('button', { type: 'button', class: 'quiet make-pin', click: makePin }, 'Make one of six digits'));
  return [
    field('Name', { name: 'name', required: true, maxlength: 200, text: event.name, autocomplete: 'off' }),
    field('Begins', { name: 'startsAt', type: 'datetime-local', text: localMoment(event.startsAt) }),
    field('Guests can look until', { name: 'expiresAt', type: 'datetime-local', text: localMoment(event.expiresAt) }, 'Empty for no end.'),
    pin,
    event.hasPin ? check('Remove the PIN: all who have the link can look', { name: 'removesPin' }) : null,
    check('Guests can download originals', { name: 'allowsOriginals', checked: event.allowsOriginals }),
    ...reactionFields(event), ...guestUploadFields(event),
    ...zoneField(event),
  ];
}

const eventWish = (values) => ({
  name: values.name.trim(), startsAt: moment(values.startsAt), expiresAt: moment(values.expiresAt),
  allowsOriginals: 'allowsOriginals' in values, timeZone: zoneWish(values), ...reactionWish(values), ...guestUploadWish(values),
});

// What was not touched stays to the second; a field for time shows minutes.
function eventChange(values, event) {
  const wish = eventWish(values);
  for (const name of ['startsAt', 'expiresAt']) if (values[name] === localMoment(event[name])) delete wish[name];
  if ('removesPin' in values) wish.pin = null;
  else if (values.pin) wish.pin = values.pin;
  return wish;
}

// One event

// `deleted()` is told where the event is found to be no more.
export async function eventView(id, deleted) {
  // First of all: the answer carries the cookie without which a closed event shows no images.
  let event = await api.get(`/events/${id}`);
  const parts = eventParts();
  const reload = async () => {
    try {
      event = await api.get(`/events/${id}`);
    } catch (problem) {
      if (problem.status === 404) deleted();
      throw problem;
    }
    showEvent(parts, event);
    end.show(event);
    showCounts(event.counts);
  };
  const end = new Ending(() => reload(), parts.download);
  const failures = new Failures(id);
  const clocks = new Clocks(id);
  const liked = new Liked(id);
  const waiting = new Waiting(id);
  const album = new Album(id, reload);
  const adding = new DropZone(id);
  const showCounts = (counts) => {
    for (const [name, count] of Object.entries(counts)) {
      const place = parts.counts.querySelector(`[data-count="${name}"]`);
      if (place) place.textContent = name === 'bytes' ? size(count) : count.toLocaleString('en');
    }
    parts.download.disabled = counts.photos === 0;
    album.expect(counts.photos);
    failures.expect(counts.failed);
    waiting.expect(counts.waiting);
    parts.guests.textContent = guestUploadWords(event);
  };
  showEvent(parts, event);
  end.show(event);
  showCounts(event.counts);

  parts.copy.addEventListener('click', () => copy(parts.address));
  parts.edit.addEventListener('click', () => edit(event, reload));
  parts.look.addEventListener('click', () => attempt(async () => {
    const { showLook } = await import('./looks.js');
    await showLook(await api.get(`/events/${id}`), reload);
  }));
  parts.taken.addEventListener('click', () => attempt(async () => {
    const { showDownloads } = await import('./downloads.js');
    await showDownloads(event);
  }));
  parts.renew.addEventListener('click', () => confirmed('Renew the link and its QR code?',
    'Printed codes then lead to the PIN, and guests who came in by the old code are asked for the PIN or the new code.',
    'Renew them', async () => {
      await api.post(`/events/${id}/key`);
      notify('The link and its QR code are new.');
      await attempt(reload);
    }));
  parts.remove.addEventListener('click', () => confirmed(`Delete “${event.name}”?`,
    `${counted(event.counts.photos, 'photo', 'photos')} and their files are deleted with it, and the guests’ page is gone. Nothing brings them back.`,
    'Delete the event', async () => {
      await api.delete(`/events/${id}`);
      notify(`“${event.name}” is deleted.`);
      location.hash = '';
    }));
  parts.download.addEventListener('click', () => attempt(async () => {
    const { url } = await api.post(`/events/${id}/zip-link`);
    await save(url);
  }));

  const readAnew = async () => {
    await reload();
    await album.filter.load();
    await album.load();
    await clocks.load();
    await liked.load();
    await waiting.load();
  };
  attempt(() => album.load());
  attempt(() => album.filter.load());
  attempt(() => clocks.load());
  attempt(() => liked.load());
  const live = new Live(`/events/${id}/live`, {
    state: (isOpen) => {
      parts.live.textContent = isOpen ? 'Live' : 'Connecting …';
      parts.live.classList.toggle('is-open', isOpen);
    },
    photo: (photo) => {
      album.hear(photo);
      waiting.hear(photo);
    },
    gone: ({ id: photo }) => {
      album.remove(photo);
      waiting.remove(photo);
    },
    count: ({ guestCreditsSpent, ...counts }) => {
      if (counts.photos !== event.counts.photos) clocks.hear();
      event = { ...event, guestCreditsSpent, counts: { ...event.counts, ...counts } };
      showCounts(event.counts);
      album.filter.hear();
    },
    reactions: () => liked.hear(),
    reset: readAnew, deleted,
  });

  return {
    title: event.name,
    content: [end.section, parts.head, adding.section, failures.section, waiting.section, clocks.section, liked.section, album.section],
    leave: () => {
      live.end();
      failures.end();
      liked.hear.end();
      adding.end();
      album.end();
      clocks.hear.end();
    },
  };
}

function eventParts() {
  const number = (name, label) => element('div', {}, element('dt', {}, label), element('dd', { 'data-count': name }, '0'));
  const parts = {
    name: element('h1', { dir: 'auto' }), when: element('p', { class: 'hint' }),
    live: element('p', { class: 'live-state' }, 'Connecting …'),
    counts: element('dl', { class: 'counts' },
      number('photos', 'Photos'), number('bytes', 'Originals'), number('pending', 'Under way'), number('failed', 'Failed')),
    qr: element('div', { class: 'qr' }),
    address: element('input', { readonly: true, id: 'guest-link', focus: (focused) => focused.target.select() }),
    copy: element('button', { type: 'button', class: 'main', id: 'copy-link' }, 'Copy'),
    open: element('a', { class: 'button', target: '_blank', rel: 'noopener' }, 'Open'),
    screen: element('a', { class: 'button', id: 'open-show', target: '_blank', rel: 'noopener' }, 'Show on a screen'),
    pin: element('p', { class: 'hint' }),
    guests: element('p', { class: 'hint', id: 'guest-uploads' }),
    renew: element('button', { type: 'button', class: 'quiet', id: 'renew-link' }, 'Renew'),
    edit: element('button', { type: 'button', id: 'edit-event' }, 'Edit'),
    look: element('button', { type: 'button', id: 'edit-look' }, 'Look'),
    download: element('button', { type: 'button', id: 'download-all' }, 'Download all'),
    taken: element('button', { type: 'button', id: 'show-downloads' }, 'Downloads'),
    remove: element('button', { type: 'button', id: 'delete-event' }, 'Delete'),
  };
  parts.head = element('div', { class: 'columns' },
    element('section', {}, element('a', { class: 'back', href: '#' }, '← All events'), parts.name, parts.when, parts.live, parts.counts,
      element('div', { class: 'deeds' }, parts.edit, parts.look, parts.download, parts.taken, parts.remove)),
    element('section', { class: 'box guests', 'aria-labelledby': 'guests-title' },
      element('h2', { id: 'guests-title' }, 'For your guests'), parts.qr,
      element('div', { class: 'field' }, element('label', { for: 'guest-link' }, 'Link'), parts.address),
      element('div', { class: 'deeds' }, parts.copy, parts.open, parts.screen, parts.renew), parts.pin, parts.guests));
  return parts;
}

function showEvent(parts, event) {
  parts.name.textContent = event.name;
  document.title = event.name;
  const isOver = event.expiresAt && new Date(event.expiresAt) <= new Date();
  parts.when.textContent = [
    event.startsAt && day(event.startsAt),
    event.expiresAt && `${isOver ? 'closed for guests since' : 'open for guests until'} ${day(event.expiresAt)}`,
  ].filter(Boolean).join(' · ');
  if (parts.address.value !== event.entryUrl) {
    attempt(async () => parts.qr.replaceChildren(await api.picture(`/events/${event.id}/qr.svg`)));
  }
  parts.address.value = event.entryUrl;
  parts.open.href = event.entryUrl;
  parts.screen.href = showAddress(event.entryUrl);
  parts.renew.hidden = !event.hasPin;
  parts.pin.textContent = [
    event.hasPin ? `Guests with this link or code need no PIN; at ${event.guestUrl} they do.` : 'All who have the link can look.',
    event.allowsOriginals && 'They can download originals.',
  ].filter(Boolean).join(' ');
}

// The key is said twice: the server takes one for its pass, and the page has the other for the code in its corner.
function showAddress(entry) {
  const address = new URL(entry);
  const key = address.searchParams.get('k');
  address.pathname += '/show';
  if (key) address.hash = `k=${key}`;
  return address.href;
}

async function copy(address) {
  try {
    await navigator.clipboard.writeText(address.value);
  } catch {
    // Browsers give the clipboard to https only; in a hall's own network this is what is left.
    address.select();
    if (!document.execCommand('copy')) return notify('Copy the link by hand: it is selected.');
  }
  notify('Link copied.');
}

function edit(event, reload) {
  const panel = dialog('Edit the event', form({ id: 'edit-event-form' }, eventFields(event), 'Save', async (values) => {
    await api.patch(`/events/${event.id}`, eventChange(values, event));
    panel.close();
    notify('Saved.');
    // Also for the cookie, which a new PIN has made worthless.
    await attempt(reload);
  }));
  panel.querySelector('.deeds').prepend(closeButton());
}
