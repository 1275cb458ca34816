// Puts picked photos into an album of their event, or takes them out of one.

import { api } from './api.js';
import { closeButton, counted, deedButton, dialog, element, field, form, notify } from './markup.js';

// `change` does what is wished to all of them.
export async function chooseAlbum(event, count, change) {
  const albums = await api.get(`/events/${event}/albums`);
  const photos = counted(count, 'photo', 'photos');
  const choice = element('select', { name: 'album', id: 'album-choice' },
    albums.map(({ id, name, photos: held }) => element('option', { value: id }, `${name} (${held.toLocaleString('en')})`)),
    element('option', { value: '' }, 'A new one'));
  const name = field('Its name', { name: 'name', maxlength: 200, autocomplete: 'off', dir: 'auto' });
  const called = () => albums.find(({ id }) => id === choice.value)?.name;
  const out = deedButton('Take them out', async () => {
    const album = called();
    await change({ removeAlbums: [choice.value] });
    panel.close();
    notify(`${counted(count, 'photo is', 'photos are')} not in “${album}” any more.`);
  }, { id: 'leave-album' });
  const sync = () => {
    name.hidden = Boolean(choice.value);
    name.querySelector('input').required = !choice.value;
    out.hidden = !choice.value;
  };
  const panel = dialog(`Album for ${photos}`, form({ id: 'album-form' }, [
    element('div', { class: 'field' }, element('label', { for: 'album-choice' }, 'Album'), choice), name,
  ], 'Put them in', async (values) => {
    const album = values.album ? { id: values.album, name: called() } : await api.post(`/events/${event}/albums`, { name: values.name.trim() });
    // It is chosen from now on: where the photos do not get into it, the next try makes no second one.
    if (!values.album) {
      albums.push(album);
      choice.prepend(element('option', { value: album.id }, album.name));
      choice.value = album.id;
      sync();
    }
    await change({ addAlbums: [album.id] });
    panel.close();
    notify(`${counted(count, 'photo is', 'photos are')} in “${album.name}”.`);
  }));
  choice.addEventListener('change', sync);
  sync();
  panel.querySelector('.deeds').prepend(closeButton(), out);
}
