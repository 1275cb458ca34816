// Who looks after the events: logging in, agreeing to the terms, and leaving.

import { api } from './api.js';
import { attempt, check, confirmed, element, field, form, notify } from './markup.js';

const email = (text) =>
  field('E-mail', { name: 'email', type: 'email', autocomplete: 'username', required: true, maxlength: 254, text });

// What one does once in a while is fetched when one does it.
export const profile = (deed) => attempt(async () => deed(await import('./profile.js')));

export function logInForm(isNew, done) {
  const card = element('div', { class: 'card' });
  // What was typed stays when one finds that one has an account after all.
  const show = (registers, typed) => {
    const forms = registers ? registration(typed, done) : logIn(typed, done);
    const other = element('button', {
      type: 'button', class: 'quiet',
      click: () => {
        show(!registers, card.querySelector('[name=email]').value);
        card.querySelector('input').focus();
      },
    }, registers ? 'I have an account' : 'Make an account');
    card.replaceChildren(element('h1', {}, registers ? 'Make an account' : 'Log in'), forms, other);
  };
  show(isNew);
  return card;
}

function logIn(typed, done) {
  const password = field('Password', {
    name: 'password', type: 'password', autocomplete: 'current-password', required: true, maxlength: 1024,
  });
  const forgotten = element('button', {
    type: 'button', class: 'quiet', id: 'forgotten',
    click: ({ target }) => profile((deeds) => deeds.askForLink(email(target.form.elements.email.value))),
  }, 'I have forgotten it');
  const made = form({ id: 'login' }, [email(typed), password], 'Log in', async (values) => {
    await api.logIn(values);
    await done();
  });
  made.querySelector('.deeds').append(forgotten);
  return made;
}

function registration(typed, done) {
  const name = field('Your name', {
    name: 'displayName', autocomplete: 'name', required: true, maxlength: 100,
  });
  const password = field('Password', {
    name: 'password', type: 'password', autocomplete: 'new-password', required: true, minlength: 8, maxlength: 1024,
  }, 'At least 8 characters.');
  const code = field('Invitation', { name: 'invite', autocomplete: 'off', maxlength: 100, spellcheck: 'false' },
    'The code that the person who runs this gallery gave you, or that a new gallery printed when it started.');
  return form({ id: 'register' }, [name, email(typed), password, code], 'Make the account', async ({ invite, ...values }) => {
    await api.register(invite ? { ...values, invite } : values);
    await done();
  });
}

// `terms` are what the gallery's operator has written, where there is something.
export function consentForm({ version, terms }, done) {
  const said = terms && element('div', { class: 'terms', tabindex: '0', role: 'region', 'aria-label': 'The terms', dir: 'auto' }, terms);
  const photos = 'I may share the photos that I upload here, and the people in them know that guests see them.';
  const agree = check(terms ? `I agree to these terms. ${photos}` : photos, { name: 'agreed', required: true });
  return element('div', { class: 'card' },
    element('h1', {}, 'Before you begin'), said || null,
    form({ id: 'consent' }, [element('div', { class: 'field' }, agree, element('p', { class: 'problem', hidden: true }))],
      'Agree', async () => {
        await api.post('/consent', { version });
        await done();
      }));
}

export function showWho(place, account) {
  if (!account) return place.replaceChildren();
  const credits = account.credits == null ? null : element('p', { class: 'hint' }, `Credits: ${account.credits.toLocaleString('en')}`);
  // The menu goes away with what is chosen, and the focus comes back to where it was opened.
  const item = (id, label, deed) => element('button', { type: 'button', id, click: () => {
    menu.open = false;
    menu.firstElementChild.focus();
    deed();
  } }, label);
  const menu = element('details', { class: 'menu' },
    element('summary', {}, account.displayName),
    element('div', { class: 'items' },
      element('p', { class: 'hint' }, account.email), credits,
      item('change-my-password', 'Change the password', () => profile((deeds) => deeds.changePassword())),
      item('my-sessions', 'Where I am logged in', () => profile((deeds) => deeds.showSessions())),
      item('logout', 'Log out', () => attempt(() => api.logOut())),
      item('delete-account', 'Delete the account', () => leave(account))));
  // Goes away as other menus do.
  menu.addEventListener('keydown', (key) => {
    if (key.key !== 'Escape') return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
  menu.addEventListener('focusout', (leaving) => {
    if (leaving.relatedTarget && !menu.contains(leaving.relatedTarget)) menu.open = false;
  });
  place.replaceChildren(menu);
}

function leave(account) {
  confirmed('Delete the account?',
    'All its events, photos and their files are deleted with it, for you and for your guests. Nothing brings them back.',
    'Delete everything', async () => {
      await api.delete('/me');
      api.forget();
      notify('The account is deleted.');
    }, account.email);
}
