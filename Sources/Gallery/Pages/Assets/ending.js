// That guests can look at an event for some days only, or cannot any more: in the list of events, and on the event's own page with
// what can be done.

import { api } from './api.js';
import { counted, day, deedButton, element, notify } from './markup.js';

const DAY = 86_400_000;
// From then on a host is reminded.
const AHEAD = 14 * DAY;
const MORE_DAYS = 30;

// Nothing where there is no end, or it is far.
export function ending(event, now = Date.now()) {
  const left = event.expiresAt ? new Date(event.expiresAt) - now : Infinity;
  if (left > AHEAD) return '';
  if (left <= 0) return 'closed for guests';
  const days = Math.floor(left / DAY);
  return days ? `ends in ${counted(days, 'day', 'days')}` : 'ends within a day';
}

export class Ending {
  #event;
  #text = element('p');
  // It stays while it is pressed, though there is nothing to say any more.
  section = element('section', { class: 'box ending', hidden: true, 'aria-label': 'The end of the event' });

  // `reload()` reads the event anew, and `download` is the button that takes all photos home.
  constructor(reload, download) {
    this.extend = deedButton(`${MORE_DAYS} more days`, async () => {
      // Of an event that has ended, from now on.
      const from = Math.max(Date.now(), new Date(this.#event.expiresAt));
      const { expiresAt } = await api.patch(`/events/${this.#event.id}`, { expiresAt: new Date(from + MORE_DAYS * DAY).toISOString() });
      notify(`Guests can look until ${day(expiresAt)}.`);
      const hadFocus = document.activeElement === this.extend;
      await reload();
      if (hadFocus && this.section.hidden) document.getElementById('edit-event')?.focus();
    }, { id: 'extend-event', class: 'main' });
    const take = element('button', { type: 'button', id: 'take-before-end', click: () => download.click() }, 'Download all');
    this.section.append(this.#text, element('div', { class: 'deeds' }, this.extend, take));
  }

  show(event) {
    this.#event = event;
    const words = ending(event);
    this.section.hidden = !words;
    if (!words) return;
    const isOver = new Date(event.expiresAt) <= Date.now();
    this.#text.textContent = isOver
      ? `Guests cannot look at these photos since ${day(event.expiresAt)}. Extend the event, or download the photos.`
      : `This event ${words}: guests can look until ${day(event.expiresAt)}. Extend it, or download the photos.`;
  }
}
