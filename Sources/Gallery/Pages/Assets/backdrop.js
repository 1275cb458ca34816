// A press beside a dialog closes it.

// Not one that began in it, as where a selection of text ends outside, and not one on the room around its fields: both have
// the dialog itself for a target.
export function closeOnBackdrop(dialog) {
  let isOutside = false;
  dialog.addEventListener('pointerdown', ({ target, clientX, clientY }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    isOutside = target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom);
  });
  dialog.addEventListener('click', ({ target }) => {
    if (isOutside && target === dialog) dialog.close();
    isOutside = false;
  });
}
