// Leads on to the page of all photos, where this one is opened before the others. The way back does not lead here again.

const { path, photo } = document.getElementById('photo').dataset;
// A browser that is too old for that page's own view of one photo has it here.
if (window.HTMLDialogElement) location.replace(`${path}#${photo}`);
