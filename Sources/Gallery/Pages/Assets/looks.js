// What an event looks like: its colour, its faces, the photo behind its name, and its logo.

import { api, Problem } from './api.js';
import { check, closeButton, deedButton, dialog, element, field, form, notify } from './markup.js';

const faces = [
  ['classic', 'Classic', 'Old-style headings, plain words'], ['plain', 'Plain', 'As the device itself writes'],
  ['elegant', 'Elegant', 'Fine, high-contrast headings'], ['rounded', 'Rounded', 'Soft and friendly'],
  ['mono', 'Mono', 'As a typewriter writes'],
];
const themes = [['auto', 'As each device is set'], ['light', 'Light'], ['dark', 'Dark']];
const usualAccent = '#8a3b4a';
const longestLogo = 1048576;

const sheet = ({ href }) => new Promise((resolve, reject) => {
  if (document.querySelector(`link[href="${href}"]`)) return resolve();
  const failed = () => {
    link.remove();
    reject(new Problem('A part of this page could not be loaded. Is there a connection?'));
  };
  const link = element('link', { rel: 'stylesheet', href, load: resolve, error: failed });
  document.head.append(link);
});

// `reload` shows the event anew where it stands.
export async function showLook(event, reload) {
  await Promise.all([sheet(new URL('looks.css', import.meta.url)), sheet(new URL('faces.css', import.meta.url))]);
  const panel = dialog('Look');
  panel.classList.add('wide', 'look-panel');
  // Each part is drawn anew by itself: what is chosen in another and not saved stays.
  const drawn = (part, now) => {
    const made = part(now, async (deed, said, focus) => {
      made.replaceWith(drawn(part, await deed()));
      notify(said);
      // What is drawn anew loses the focus, which goes back to what stands in its place.
      panel.querySelector(focus)?.focus();
      await reload();
    });
    return made;
  };
  panel.append(
    element('p', { class: 'hint' }, 'Guests see it when they open or reload their page. ',
      element('a', { href: event.entryUrl, target: '_blank', rel: 'noopener', id: 'look-preview' }, 'Open the guests’ page')),
    ...[words, coverPart, logoPart].map((part) => drawn(part, event)), element('div', { class: 'deeds' }, closeButton('Close')));
}

function words(event, change) {
  const own = check('A colour of its own', { name: 'hasAccent', checked: Boolean(event.accent) });
  const colour = field('Colour', { type: 'color', name: 'accent', text: event.accent ?? usualAccent },
    'For links and buttons. Where it could not be read it is made darker or lighter by itself.');
  const sync = () => (colour.hidden = !own.querySelector('input').checked);
  own.addEventListener('change', sync);
  sync();
  const theme = element('select', { name: 'theme', id: 'look-theme' }, themes.map(([value, label]) =>
    element('option', { value, selected: value === event.theme }, label)));
  const typeface = element('fieldset', {}, element('legend', {}, 'Typefaces'), faces.map(([value, label, about]) =>
    element('label', { class: `face face-${value}` },
      element('input', { type: 'radio', name: 'typeface', value, checked: value === event.typeface }),
      element('span', {}, element('strong', {}, label), about))));
  return form({ id: 'look-form' }, [
    own, colour, element('div', { class: 'field' }, element('label', { for: 'look-theme' }, 'Light or dark'), theme), typeface,
  ], 'Save', (values) => change(() => api.patch(`/events/${event.id}`, {
    accent: 'hasAccent' in values ? values.accent : null, theme: values.theme, typeface: values.typeface,
  }), 'The look is saved.', '#look-form .main'));
}

function coverPart(event, change) {
  const part = element('section', { 'aria-labelledby': 'cover-title' }, element('h3', { id: 'cover-title', tabindex: '-1' }, 'Cover'));
  if (!event.coverPhoto) {
    part.append(element('p', { class: 'hint' }, 'A photo behind the event’s name. Choose it at a photo below: Edit, and “Use as cover”.'));
    return part;
  }
  const image = element('img', { class: 'shown', alt: 'The cover' });
  api.get(`/photos/${event.coverPhoto}`).then(({ thumbKey }) => (image.src = `/images/${thumbKey}`), () => image.remove());
  part.append(image, element('p', { class: 'hint' }, 'Hidden or deleted, it is the cover no more.'), element('div', { class: 'deeds' },
    deedButton('No cover', () => change(() => api.patch(`/events/${event.id}`, { coverPhoto: null }), 'There is no cover.', '#cover-title'),
      { id: 'remove-cover' })));
  return part;
}

function logoPart(event, change) {
  const path = `/events/${event.id}/logo`;
  const file = field('PNG or JPEG', { type: 'file', name: 'logo', accept: 'image/png,image/jpeg', required: true },
    'Up to 1 MiB, and 4096 pixels on a side. It is made anew, without what a camera or a program wrote into it.');
  const upload = form({ id: 'logo-form' }, [file], event.logo ? 'Replace the logo' : 'Use as logo', ({ logo }) => {
    if (logo.size > longestLogo) throw new Problem('This file is larger than 1 MiB.', { fields: { logo: ['is larger than 1 MiB'] } });
    return change(() => api.put(path, logo), 'The logo is saved.', '#logo-title');
  });
  const part = element('section', { 'aria-labelledby': 'logo-title' }, element('h3', { id: 'logo-title', tabindex: '-1' }, 'Logo'));
  if (event.logo) {
    // By this page's own server, whatever the gallery is called elsewhere.
    const { width, height, url } = event.logo;
    part.append(element('img', { class: 'shown is-logo', src: new URL(url).pathname, width, height, alt: 'The logo' }));
    upload.querySelector('.deeds').prepend(deedButton('No logo', () =>
      change(() => api.delete(path), 'There is no logo.', '#logo-title'), { id: 'remove-logo' }));
  }
  part.append(upload);
  return part;
}
