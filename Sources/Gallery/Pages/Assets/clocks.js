// When photos were taken, as far as a host has to say it: the event's time zone, and clocks of cameras that are wrong.

import { api } from './api.js';
import { attempt, closeButton, counted, deedButton, dialog, element, field, form, notify, returnFocus } from './markup.js';
import { seldom } from './seldom.js';

// In milliseconds: photos may come several a second.
const pause = 5000;

// Those that this browser knows by name; the server says which it knows.
export function zoneField(event) {
  const names = Intl.supportedValuesOf ? Intl.supportedValuesOf('timeZone') : [];
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const guess = event.timeZoneSource === 'photos' ? `Empty for what the photos tell: ${event.timeZone}.` : 'Empty for what the first photos tell.';
  return [
    field('Time zone', {
      name: 'timeZone', maxlength: 64, autocomplete: 'off', autocapitalize: 'off', list: 'time-zones', placeholder: here,
      // A new event is taken to be where its host is: until its zone is known, its days would be those of UTC.
      text: !event.id ? here : event.timeZoneSource === 'host' ? event.timeZone : '',
    }, `Such as ${here ?? 'Europe/Vienna'}, or +01:00. ${guess}`),
    element('datalist', { id: 'time-zones' }, names.map((name) => element('option', { value: name }))),
  ];
}

export const zoneWish = (values) => values.timeZone.trim() || null;

const shown = (local) => local.slice(0, 16).replace('T', ' ');

// "+1:02:03", "-0:00:30"; hours may be thousands.
function span(seconds) {
  const size = Math.abs(seconds);
  const two = (number) => String(number).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${Math.floor(size / 3600)}:${two(Math.floor(size / 60) % 60)}:${two(size % 60)}`;
}

function seconds(text) {
  const found = /^([+-]?)([0-9]+):([0-5][0-9])(?::([0-5][0-9]))?$/.exec(text.trim());
  if (!found) return null;
  const size = Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0);
  return found[1] === '-' ? -size : size;
}

function called(camera) {
  const begins = camera.model.toLowerCase().startsWith(camera.make.split(' ')[0].toLowerCase());
  const name = begins ? camera.model : `${camera.make} ${camera.model}`.trim();
  return [name || 'A camera without a name', camera.serial && `no. ${camera.serial}`].filter(Boolean).join(', ');
}

function state({ shiftSeconds, correctionSeconds, clockAheadSeconds }) {
  const by = correctionSeconds ?? 0;
  if (shiftSeconds !== null) return `Shown ${span(shiftSeconds)} from its clock, as you have said.`;
  if (by === 0) return 'Shown as its clock says.';
  return `Shown ${span(by)} from its clock, as ${clockAheadSeconds === null ? 'its photos prove' : 'the bridge has measured'}.`;
}

// The cameras of an event, with room to say what their clocks are wrong by.
export class Clocks {
  #id;
  #list = element('ul', { class: 'failures', id: 'cameras' });

  // Photos have come or gone, and with them perhaps a camera.
  hear = seldom(pause, () => this.load());

  constructor(id) {
    this.#id = id;
    this.section = element('section', { class: 'box', hidden: true, 'aria-labelledby': 'clocks-title' },
      element('h2', { id: 'clocks-title' }, 'Cameras and their clocks'), this.#list);
  }

  async load() {
    const cameras = await api.get(`/events/${this.#id}/cameras`);
    this.section.hidden = cameras.length === 0;
    const focused = document.activeElement?.closest('[data-camera]')?.dataset.camera;
    this.#list.replaceChildren(...cameras.map((camera) => this.#item(camera)));
    if (focused) this.#list.querySelector(`[data-camera="${focused}"] .clock`)?.focus();
  }

  #item(camera) {
    const times = camera.firstTime ? `${shown(camera.firstTime)} to ${shown(camera.lastTime)}` : 'no times';
    return element('li', { 'data-camera': camera.id },
      element('div', {}, element('strong', { dir: 'auto' }, called(camera)),
        element('p', { class: 'hint' }, `${counted(camera.photos, 'photo', 'photos')}, ${times}`),
        element('p', { class: 'hint clock-state' }, state(camera))),
      deedButton('Correct its clock', async () => this.#edit(camera), { class: 'clock', 'aria-label': `Correct the clock of ${called(camera)}` }));
  }

  async #shift(camera, by) {
    await api.patch(`/events/${this.#id}/cameras/${camera.id}`, { shiftSeconds: by });
    await this.load();
  }

  #edit(camera) {
    const panel = dialog('Correct a clock', element('p', { dir: 'auto' }, called(camera)),
      form({ id: 'edit-clock' }, [
        field('Show its photos by', {
          name: 'shiftSeconds', autocomplete: 'off', text: span(camera.shiftSeconds ?? camera.correctionSeconds ?? 0),
          pattern: '\\s*[+\\-]?[0-9]+:[0-5][0-9](:[0-5][0-9])?\\s*', title: 'Hours, minutes and perhaps seconds, such as -1:00 or +0:02:30.',
        }, 'Later (+) or earlier (-) than its clock said, in hours:minutes:seconds. Empty for no correction of yours.'),
      ], 'Save', async ({ shiftSeconds: text }) => {
        await this.#shift(camera, text.trim() ? seconds(text) : null);
        panel.close();
        const back = element('button', { type: 'button', id: 'undo-clock' }, 'Undo');
        back.addEventListener('click', () => attempt(async () => {
          await this.#shift(camera, camera.shiftSeconds);
          notify('It is as it was.');
        }));
        notify('Its photos are shown at other times now.', null, back);
      }));
    panel.querySelector('.deeds').prepend(closeButton());
    returnFocus(panel, () => this.#list.querySelector(`[data-camera="${camera.id}"] .clock`));
  }
}
