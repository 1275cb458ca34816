// The page's address for others: a QR code to point at, the phone's own way of sending, or a copy.

import { say } from './say.js';
import { text } from './text.js';
import { make } from './tile.js';

async function copied(url) {
  try {
    await navigator.clipboard.writeText(url);
    return true;
  } catch {
    // Browsers give the clipboard to https only; in a hall's own network this is what is left.
    const focused = document.activeElement;
    const field = make('textarea', { class: 'unseen', readonly: true }, url);
    ([...document.querySelectorAll('dialog[open]')].pop() ?? document.body).append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    focused?.focus();
    return isDone;
  }
}

export async function send(title, url) {
  if (navigator.share) {
    try {
      await navigator.share({ title, url });
      return;
    } catch (problem) {
      if (problem.name === 'AbortError') return;
    }
  }
  say((await copied(url)) ? text('wall.linkCopied') : url);
}

// The section at the page's end comes before everything else while it is asked for.
export function sharePanel(opener, section, name) {
  const place = document.createComment('share');
  const sendButton = make('button', { class: 'main', type: 'button' }, text(navigator.share ? 'wall.sendLink' : 'wall.copyLink'));
  const close = make('button', { type: 'button' }, text('wall.close'));
  const deeds = make('div', { class: 'deeds' }, sendButton, close);
  const panel = make('dialog', { class: 'panel', 'aria-labelledby': 'share-title' });
  section.before(place);
  document.body.append(panel);
  sendButton.onclick = () => send(name, section.querySelector('.link a').href);
  close.onclick = () => panel.close();
  // A handler that answers false would take every link its deed.
  panel.onclick = ({ target }) => void (target === panel && panel.close());
  panel.onclose = () => {
    // It is told a moment later, and may be open again by then.
    if (panel.open) return;
    deeds.remove();
    place.after(section);
    opener.focus();
  };
  opener.onclick = (click) => {
    click.preventDefault();
    section.append(deeds);
    panel.append(section);
    panel.showModal();
    close.focus();
  };
}
