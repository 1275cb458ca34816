// Puts picked photos into an album of their event, or takes them out of one; and the list of albums, in which each is renamed,
// moved and deleted. Guests see an album as a section of their page.

import { api } from './api.js';
import { closeButton, confirmed, counted, deedButton, dialog, element, field, form, notify } from './markup.js';

const pathOf = (event, album) => `/events/${event}/albums${album ? `/${album}` : ''}`;

// `change` does what is wished to all of them, and answers to how many; `changed` is told that albums are others.
export async function chooseAlbum(event, count, { change, changed }) {
  let albums = await api.get(pathOf(event));
  const choice = element('select', { name: 'album', id: 'album-choice' });
  const name = field('Its name', { name: 'name', maxlength: 200, autocomplete: 'off', dir: 'auto' });
  const called = () => albums.find(({ id }) => id === choice.value)?.name;
  const out = deedButton('Take them out', async () => {
    const album = called();
    const done = await change({ removeAlbums: [choice.value] });
    panel.close();
    notify(`${counted(done, 'photo is', 'photos are')} not in “${album}” any more.`);
    await changed();
  }, { id: 'leave-album' });
  const list = deedButton('Rename, move or delete albums', () => editAlbums(event, async () => {
    albums = await api.get(pathOf(event));
    fill(choice.value);
    await changed();
  }), { id: 'list-albums', class: 'quiet' });
  const sync = () => {
    name.hidden = Boolean(choice.value);
    name.querySelector('input').required = !choice.value;
    out.hidden = !choice.value;
    list.hidden = !albums.length;
  };
  const fill = (chosen) => {
    choice.replaceChildren(
      ...albums.map(({ id, name: text, photos: held }) => element('option', { value: id }, `${text} (${held.toLocaleString('en')})`)),
      element('option', { value: '' }, 'A new one'));
    choice.value = albums.some(({ id }) => id === chosen) ? chosen : albums[0]?.id ?? '';
    sync();
  };
  const panel = dialog(`Album for ${counted(count, 'photo', 'photos')}`, form({ id: 'album-form' }, [
    element('div', { class: 'field' }, element('label', { for: 'album-choice' }, 'Album'), choice), name,
  ], 'Put them in', async (values) => {
    const album = values.album ? { id: values.album, name: called() } : await api.post(pathOf(event), { name: values.name.trim() });
    // It is chosen from now on: where the photos do not get into it, the next try makes no second one.
    if (!values.album) {
      albums.push(album);
      fill(album.id);
    }
    const done = await change({ addAlbums: [album.id] });
    panel.close();
    notify(`${counted(done, 'photo is', 'photos are')} in “${album.name}”.`);
    await changed();
  }), list);
  choice.addEventListener('change', sync);
  fill(albums[0]?.id ?? '');
  panel.querySelector('.deeds').prepend(closeButton(), out);
}

// `changed` is told of each change, and the list follows it.
export async function editAlbums(event, changed) {
  let albums = await api.get(pathOf(event));
  const list = element('ol', { class: 'failures album-list' });
  const none = element('p', { class: 'hint' }, 'There are no albums. Select photos, and put them into a new one.');
  const close = closeButton('Close');

  // Answers where the focus goes: to the button of the class `focused` in the row of that album, or another one where that cannot be
  // pressed.
  const show = (album, focused) => {
    list.replaceChildren(...albums.map(row));
    none.hidden = albums.length > 0;
    const buttons = [...list.children].find((item) => item.dataset.album === album)?.querySelectorAll('button:enabled') ?? [];
    return ([...buttons].find((button) => button.classList.contains(focused)) ?? buttons[0] ?? list.querySelector('button:enabled') ?? close);
  };
  const after = async (album, focused) => {
    albums = await api.get(pathOf(event));
    const next = show(album, focused);
    // The page behind the list follows after a while, and what was pressed is gone already.
    next.focus();
    await changed();
    return next;
  };
  const rename = (album, item) => {
    const back = element('button', { type: 'button', click: () => show(album.id, 'rename').focus() }, 'Cancel');
    const made = form({ class: 'rename-album' }, [field('Name', { name: 'name', required: true, maxlength: 200, autocomplete: 'off', dir: 'auto', text: album.name })],
      'Save', async (values) => {
        await api.patch(pathOf(event, album.id), { name: values.name.trim() });
        await after(album.id, 'rename');
      });
    made.querySelector('.deeds').prepend(back);
    item.replaceChildren(made);
    made.querySelector('input').select();
  };
  const move = (album, place, focused) => async () => {
    await api.patch(pathOf(event, album.id), { place });
    await after(album.id, focused);
  };
  const remove = (album, place) => confirmed(`Delete the album “${album.name}”?`,
    `${album.photos ? `Its ${counted(album.photos, 'photo stays', 'photos stay')}` : 'No photo is lost'}: only the album and its section of the guests’ page are gone.`,
    'Delete the album', async () => {
      await api.delete(pathOf(event, album.id));
      const next = await after((albums[place + 1] ?? albums[place - 1])?.id, 'remove');
      notify(`The album “${album.name}” is deleted. Its photos stay.`);
      return next;
    });
  const row = (album, place) => {
    const { name, photos, id } = album;
    const item = element('li', { 'data-album': id },
      element('div', {}, element('strong', { dir: 'auto' }, name), element('p', { class: 'hint' }, counted(photos, 'photo', 'photos'))),
      element('div', { class: 'deeds' },
        element('button', { type: 'button', class: 'rename', 'aria-label': `Rename ${name}`, click: () => rename(album, item) }, 'Rename'),
        deedButton('↑', move(album, place - 1, 'up'), { class: 'up', disabled: place === 0, 'aria-label': `Move ${name} up` }),
        deedButton('↓', move(album, place + 1, 'down'), { class: 'down', disabled: place === albums.length - 1, 'aria-label': `Move ${name} down` }),
        element('button', { type: 'button', class: 'remove', 'aria-label': `Delete ${name}`, click: () => remove(album, place) }, 'Delete')));
    return item;
  };

  const panel = dialog('Albums', element('p', { class: 'hint' }, 'Guests see them in this order, each with at least one photo that is not hidden.'),
    none, list, element('div', { class: 'deeds' }, close));
  panel.classList.add('wide');
  show(albums[0]?.id, 'rename').focus();
}
