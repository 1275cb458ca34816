// The button for guests' own photos, on pages of events that take some. All else of it is loaded when it is pressed.

const button = document.getElementById('open-uploads');

button.addEventListener('click', async (click) => {
  // It waits for no other script.
  click.preventDefault();
  if (button.ariaBusy) return;
  button.ariaBusy = 'true';
  try {
    const { bring } = await import('./bring.js');
    await bring();
  } catch (problem) {
    console.error(problem);
    const { learn, text } = await import('./text.js');
    await learn('wall');
    const { say } = await import('./say.js');
    say(text('wall.noConnection'));
  } finally {
    button.ariaBusy = null;
  }
});
