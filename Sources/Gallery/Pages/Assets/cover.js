// The photo behind the event's name, where it is shown larger than its thumb is: when all else is there, and not where data is dear.

const ENOUGH = 1.3;

const cover = document.querySelector('.cover');
const { saveData, effectiveType = '4g' } = navigator.connection ?? {};

async function sharpen() {
  const large = new Image();
  large.src = cover.dataset.screen;
  try {
    await large.decode();
    cover.src = cover.dataset.screen;
  } catch {
    // The thumb stays.
  }
}

if (cover && !saveData && effectiveType === '4g' && cover.clientWidth * devicePixelRatio > ENOUGH * cover.getAttribute('width')) sharpen();
