// Who brought the photo or video on show, where a guest did and has said a name. It is loaded with the first of these that is
// opened.

import { learn, text } from './text.js';
import { make } from './tile.js';

export async function credit(lightbox, { id, guestName: name, streamUrl }) {
  await learn('bring');
  // The address names the photo on show, which may be another by now.
  if (!location.hash.endsWith(id)) return;
  lightbox.credit?.remove();
  lightbox.credit = name ? make('p', { class: 'credit', dir: 'auto' }, text(streamUrl ? 'bring.videoBy' : 'bring.by', { name })) : null;
  if (name) lightbox.parts.caption.after(lightbox.credit);
}
