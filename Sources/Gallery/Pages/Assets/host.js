// The host's page: who is here decides between the forms, and what stands behind the # between the events.

import { consentForm, logInForm, profile, showWho } from './account.js';
import { api } from './api.js';
import { element, notify } from './markup.js';
import { eventView, listView } from './events.js';

const stage = document.getElementById('stage');
const who = document.getElementById('who');

// The way of leaving what is shown, and a number by which a late answer sees that something else is.
let leave = () => {};
let visit = 0;
let isReady = false;

function show(title, content) {
  document.title = title;
  stage.replaceChildren(...[content].flat());
}

function showProblem(problem) {
  if (problem.isLoggedOut) return;
  if (!problem.isExpected) console.error(problem);
  const again = element('button', { type: 'button', class: 'main', click: start }, 'Try again');
  const back = element('a', { class: 'button', href: '#' }, 'All events');
  show('Your events', element('div', { class: 'card' },
    element('h1', {}, problem.status === 404 ? 'There is no such event' : 'That did not work'),
    element('p', { role: 'alert' }, problem.status === 404 ? 'It may have been deleted.' : problem.message),
    element('div', { class: 'deeds' }, back, problem.status === 404 ? null : again)));
}

// Where a link leads, the screen reader and the Tab key begin there too.
async function route({ isMove = true } = {}) {
  if (!isReady) return;
  leave();
  leave = () => {};
  const mine = (visit += 1);
  const id = /^#event\/([0-9a-f-]{36})$/.exec(location.hash)?.[1];
  try {
    // Asking once more says that there is no such event.
    const deleted = () => mine === visit && route({ isMove: false });
    const view = await (id ? eventView(id, deleted) : listView());
    if (mine !== visit) return view.leave();
    leave = view.leave;
    show(view.title, view.content);
    scrollTo(0, 0);
    if (isMove) stage.focus({ preventScroll: true });
  } catch (problem) {
    if (mine === visit) showProblem(problem);
  }
}

async function start() {
  // The link is good once: it does not stay in the address, nor in the history.
  const code = /^#password=([\w-]+)$/.exec(location.hash)?.[1];
  if (code) {
    history.replaceState(null, '', location.pathname);
    return profile((deeds) => {
      show('Another password', deeds.newPasswordForm(code, () => (api.forget(), showLogIn())));
      stage.querySelector('input').focus();
    });
  }
  if (!api.isLoggedIn) return showLogIn();
  const mine = (visit += 1);
  try {
    const [account, consent] = await Promise.all([api.get('/me'), api.get('/consent')]);
    if (mine !== visit) return;
    showWho(who, account);
    if (!consent.given) {
      show('Before you begin', consentForm(consent, start));
      stage.querySelector('.terms, input').focus();
      return;
    }
    isReady = true;
    await route({ isMove: false });
  } catch (problem) {
    if (mine === visit) showProblem(problem);
  }
}

function showLogIn() {
  isReady = false;
  visit += 1;
  leave();
  leave = () => {};
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  showWho(who, null);
  show('Log in', logInForm(false, start));
  stage.querySelector('input').focus();
}

api.onLoggedOut = () => {
  showLogIn();
  notify('You are logged out.');
};
addEventListener('hashchange', () => (location.hash.startsWith('#password=') ? start() : route()));
start();
