// Words for screen readers, which are shown for a moment unless they are seen elsewhere.

import { text } from './text.js';

const status = document.getElementById('status');
let timer;

export function say(words, isSeen = true) {
  clearTimeout(timer);
  status.textContent = words;
  status.classList.toggle('seen', isSeen);
  timer = setTimeout(() => status.classList.remove('seen'), 4000);
  // What stands below an open dialog is neither seen nor read out.
  const top = [...document.querySelectorAll('dialog[open]')].pop();
  (top ?? document.querySelector('main')).append(status);
}

export const noConnection = () => say(text('wall.noConnection'));
