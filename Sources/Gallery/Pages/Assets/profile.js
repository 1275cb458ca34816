// What a host does about an account once in a while: another password, and where it is logged in.

import { api } from './api.js';
import { attempt, closeButton, day, deedButton, dialog, element, field, form, notify } from './markup.js';

function show(title, made) {
  const panel = dialog(title, made);
  panel.querySelector('.deeds').prepend(closeButton());
  return panel;
}

// Passwords

const newPassword = (name) => field('New password', {
  name, type: 'password', autocomplete: 'new-password', required: true, minlength: 8, maxlength: 1024,
}, 'At least 8 characters.');

export function changePassword() {
  const current = field('Current password', {
    name: 'current', type: 'password', autocomplete: 'current-password', required: true, maxlength: 1024,
  });
  const panel = show('Change the password', form({ id: 'change-password' }, [current, newPassword('new')], 'Change it', async (values) => {
    await api.post('/me/password', values);
    panel.close();
    notify('The password is changed. Wherever else you were logged in, you are not any more.');
  }));
}

export function askForLink(email) {
  const panel = show('Another password', form({ id: 'ask-for-link' }, [email], 'Mail me a link', async (values) => {
    await api.tell('/auth/forgot', values);
    panel.close();
    notify('If there is an account with that address, a mail with a link is on its way. It works for half an hour.');
  }));
}

// For a host who has opened such a link.
export const newPasswordForm = (token, done) => element('div', { class: 'card' }, element('h1', {}, 'Another password'),
  form({ id: 'new-password' }, [newPassword('new')], 'Set it', async (values) => {
    await api.tell('/auth/reset', { token, ...values });
    done();
    notify('The password is set. Log in with it.');
  }));

// Log-ins

// Newer names come first: their browsers say the older ones as well.
const browsers = [['Edg', 'Edge'], ['OPR', 'Opera'], ['Firefox', 'Firefox'], ['Chrome', 'Chrome'], ['Safari', 'Safari']];
const systems = [['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Android', 'Android'], ['Windows', 'Windows'], ['Mac OS', 'Mac'], ['Linux', 'Linux']];

// What a program calls itself, in fewer words where it is a browser's.
function device(text) {
  if (!text) return 'Unknown';
  const [, browser] = browsers.find(([mark]) => text.includes(`${mark}/`)) ?? [];
  const [, system] = systems.find(([mark]) => text.includes(mark)) ?? [];
  return browser && system ? `${browser} on ${system}` : text;
}

export async function showSessions() {
  const list = element('ul', { class: 'failures' });
  const others = deedButton('Log out everywhere else', async () => {
    await api.delete('/me/sessions');
    await load();
    notify('Everything else is logged out.');
  }, { id: 'end-others' });
  const load = async () => {
    const sessions = await api.get('/me/sessions');
    list.replaceChildren(...sessions.map(item));
    others.hidden = sessions.length < 2;
  };
  const item = ({ id, device: name, createdAt, lastUsedAt, isCurrent }) => element('li', { 'data-session': id },
    element('div', {}, element('strong', {}, device(name)),
      element('p', { class: 'hint' }, isCurrent ? `Here, since ${day(createdAt)}` : `Since ${day(createdAt)}, last used ${day(lastUsedAt)}`)),
    isCurrent ? null : deedButton('Log out', async () => {
      await api.delete(`/me/sessions/${id}`);
      await attempt(load);
    }));
  await load();
  dialog('Where you are logged in', list, element('div', { class: 'deeds' }, closeButton('Close'), others));
}
