// What guests took home: how much on which day, which photos most often, and how much each device. Loaded when a host asks.

import { api } from './api.js';
import { closeButton, counted, dialog, element, size } from './markup.js';

const KINDS = {
  'photo-screen': 'Single photos, as large as screens', 'photo-original': 'Single originals',
  'zip-screen': 'ZIPs, as large as screens', 'zip-original': 'ZIPs of originals',
};
// Of days; all of them are by the API.
const MOST_DAYS = 31;

const date = (text) => (text ? new Date(`${text}T12:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' }) : 'Earlier');
const guest = ({ guest: number, name }) => (number === null ? 'All others' : name ? `Guest ${number}, ${name}` : `Guest ${number}`);

function table(caption, heads, rows) {
  return element('table', { class: 'figures' }, element('caption', {}, caption),
    element('thead', {}, element('tr', {}, heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, rows.map(([first, ...others]) => element('tr', {},
      element('th', { scope: 'row', dir: 'auto' }, first), others.map((text) => element('td', {}, text))))));
}

const figures = (count) => [count.times.toLocaleString('en'), count.photos.toLocaleString('en'), size(count.bytes)];

function photos(list) {
  return element('ol', { class: 'liked' }, list.map(({ photo, times }) => element('li', {},
    element('img', { src: `/images/${photo.thumbKey}`, alt: photo.caption || photo.filename || 'a photo without a name', loading: 'lazy' }),
    element('p', {}, counted(times, 'time', 'times')))));
}

export async function showDownloads(event) {
  const report = await api.get(`/events/${event.id}/downloads`);
  const { total, kinds, days, guests, guestCount } = report;
  const parts = total.times || total.bytes ? [
    element('p', { class: 'hint' }, `${counted(total.times, 'download', 'downloads')} of ${counted(total.photos, 'photo', 'photos')}, ${size(total.bytes)}, by ${counted(guestCount, 'device', 'devices')}.`),
    table('By kind', ['Kind', 'Downloads', 'Photos', 'Size'], kinds.map((kind) => [KINDS[kind.kind] ?? kind.kind, ...figures(kind)])),
    table('By day (UTC)', ['Day', 'Downloads', 'Photos', 'Size'], days.slice(0, MOST_DAYS).map((one) => [date(one.day), ...figures(one)])),
    report.photos.length ? element('section', { 'aria-label': 'Taken most often' }, element('h3', {}, 'Taken most often'), photos(report.photos)) : null,
    table('By device', ['Guest', 'Downloads', 'Size', 'Last'], guests.map((one) => [guest(one), one.times.toLocaleString('en'), size(one.bytes), date(one.lastDay)])),
  ] : [element('p', { class: 'hint' }, 'Guests have taken nothing home yet.')];
  const panel = dialog('What guests took home', ...parts,
    element('p', { class: 'hint' }, 'Looking at photos is not counted, and neither is what you download. A guest is a browser, by a number that says nothing of who uses it, with the name of its last comment where it has written one. No addresses are kept. All of it is deleted with the event.'),
    element('div', { class: 'deeds' }, closeButton('Close')));
  panel.classList.add('wide');
  panel.querySelector('.deeds button').focus();
}
