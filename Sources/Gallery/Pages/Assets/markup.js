// What the host's page is built from. Text from outside only ever becomes text: nothing here reads markup.

import { closeOnBackdrop } from './backdrop.js';
import { element } from './element.js';

export { element };

const notices = document.getElementById('notices');

export const counted = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export function size(bytes) {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let place = 0;
  for (; bytes >= 1000 && place < units.length - 1; place += 1) bytes /= 1000;
  return `${bytes.toLocaleString('en', { maximumFractionDigits: place > 2 ? 1 : 0 })} ${units[place]}`;
}

export const day = (moment) =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });

// What a field for date and time shows: the host's own time, without a zone.
export function localMoment(moment) {
  if (!moment) return '';
  const date = new Date(moment);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export const moment = (local) => (local ? new Date(local).toISOString() : null);

// Notices

const top = () => [...document.querySelectorAll('dialog[open]')].pop();

// Said to screen readers and shown: for a moment, or until it is answered where something can be done about it.
export function notify(text, retry, button) {
  const notice = element('p', { class: retry ? 'notice bad' : 'notice' }, element('span', {}, text));
  if (retry) {
    const again = () => (notice.remove(), retry());
    notice.append(
      element('button', { type: 'button', click: again }, 'Try again'),
      element('button', { type: 'button', click: () => notice.remove() }, 'Close'));
  } else {
    if (button) notice.append(button);
    setTimeout(() => notice.remove(), button ? 20000 : 6000);
  }
  for (const other of [...notices.children]) if (other.firstChild.textContent === text) other.remove();
  // What stands below an open dialog is neither seen nor read out.
  const place = top() ?? document.body;
  if (notices.parentElement !== place) place.append(notices);
  notices.append(notice);
}

// Does what is asked; where that fails it says so, and offers to try once more. True where it was done.
export async function attempt(deed) {
  try {
    await deed();
    return true;
  } catch (problem) {
    if (problem.isLoggedOut) return false;
    notify(problem.message, problem.isPassing ? () => attempt(deed) : null);
    if (!problem.isExpected) console.error(problem);
    return false;
  }
}

// Says how far something is that takes a while: `show(done)`, until its `end()`.
export function working(text, total) {
  const bar = element('progress', { max: total, value: 0, 'aria-label': text });
  const words = element('span', {}, text);
  const notice = element('p', { class: 'notice working' }, words, bar);
  const place = top() ?? document.body;
  if (notices.parentElement !== place) place.append(notices);
  notices.append(notice);
  return {
    show(done) {
      bar.value = done;
      words.textContent = `${text}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    },
    end: () => notice.remove(),
  };
}

// A button that does nothing more while it works. It is not disabled for that: it would lose the focus.
export function deedButton(label, deed, attributes = {}) {
  const button = element('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', async () => {
    if (button.ariaBusy) return;
    button.ariaBusy = 'true';
    await attempt(deed);
    button.ariaBusy = null;
  });
  return button;
}

// Forms

let number = 0;

// A label, its input, and room for what is wrong with it.
export function field(label, attributes, hint) {
  const { tag = 'input', text, ...others } = attributes;
  const id = `field-${(number += 1)}`;
  const input = element(tag, { id, 'aria-describedby': `${id}-about`, ...others });
  // It is there again when its form is emptied.
  if (text) input[tag === 'select' ? 'value' : 'defaultValue'] = text;
  const about = element('div', { id: `${id}-about`, class: 'about' },
    hint && element('p', { class: 'hint' }, hint), element('p', { class: 'problem', hidden: true }));
  return element('div', { class: 'field' }, element('label', { for: id }, label), input, about);
}

export function check(label, attributes) {
  return element('label', { class: 'check' }, element('input', { type: 'checkbox', ...attributes }), element('span', {}, label));
}

function mark(input, text) {
  const place = input.closest('.field')?.querySelector('.problem');
  if (!place) return false;
  input.setAttribute('aria-invalid', 'true');
  place.textContent = text;
  place.hidden = false;
  return true;
}

function clear(form) {
  for (const place of form.querySelectorAll('.problem')) place.hidden = true;
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

// Beside the fields where it is about fields, and below the form where it is not.
function show(problem, form) {
  const rest = [];
  for (const [name, texts] of Object.entries(problem.fields ?? {})) {
    const input = form.elements[name];
    const text = texts.join(', ');
    if (!(input instanceof Element) || !mark(input, `This ${text}.`)) rest.push(`${name} ${text}`);
  }
  const about = form.querySelector('.form-problem');
  const isMarked = form.querySelector('[aria-invalid]');
  about.textContent = rest.join('. ') || (isMarked ? '' : problem.message);
  about.hidden = !about.textContent;
  isMarked?.focus();
  if (!problem.isExpected) console.error(problem);
}

// A form that says what is wrong in its own words and place; the browser's bubbles go away before they are read.
export function form(attributes, fields, submit, deed) {
  const button = element('button', { class: 'main' }, submit);
  const made = element('form', { novalidate: true, ...attributes }, fields,
    element('p', { class: 'problem form-problem', role: 'alert', hidden: true }), element('div', { class: 'deeds' }, button));
  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    clear(made);
    const wrong = [...made.elements].filter((input) => input.willValidate && !input.checkValidity());
    for (const input of wrong) mark(input, input.title && input.value ? input.title : input.validationMessage);
    if (wrong.length) return wrong[0].focus();
    button.disabled = true;
    try {
      await deed(Object.fromEntries(new FormData(made)), made);
    } catch (problem) {
      if (!problem.isLoggedOut) show(problem, made);
    } finally {
      button.disabled = false;
    }
  });
  return made;
}

// Dialogs

export function dialog(title, ...content) {
  const id = `dialog-${(number += 1)}`;
  const made = element('dialog', { class: 'panel', 'aria-labelledby': id }, element('h2', { id }, title), content);
  closeOnBackdrop(made);
  made.addEventListener('close', () => {
    if (made.contains(notices)) document.body.append(notices);
    made.remove();
  });
  document.body.append(made);
  made.showModal();
  return made;
}

// Its opener may have been made anew meanwhile, and another button stands for it.
export function returnFocus(panel, find) {
  panel.addEventListener('close', () => document.activeElement === document.body && find()?.focus());
}

export const closeButton = (label = 'Cancel') =>
  element('button', { type: 'button', click: (click) => click.target.closest('dialog').close() }, label);

// Asks before something is lost. `typed` is a word that has to be written where nothing brings it back. The deed may give
// back where the focus goes, since what was pressed may be gone with what was deleted.
export function confirmed(title, text, label, deed, typed) {
  const word = typed && field(`Type ${typed} to confirm`, { name: 'word', autocomplete: 'off', autocapitalize: 'off' });
  const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
  const danger = element('button', { type: 'button', class: 'danger', disabled: Boolean(typed) }, label);
  const panel = dialog(title, element('p', {}, text), word, problem, element('div', { class: 'deeds' }, closeButton(), danger));
  word?.addEventListener('input', (input) => (danger.disabled = input.target.value.trim() !== typed));
  danger.addEventListener('click', async () => {
    danger.disabled = true;
    problem.hidden = true;
    try {
      const next = await deed();
      panel.close();
      next?.focus();
    } catch (failure) {
      if (failure.isLoggedOut) return panel.close();
      problem.textContent = failure.message;
      problem.hidden = false;
      danger.disabled = false;
      if (!failure.isExpected) console.error(failure);
    }
  });
}
