// What many changes in a row ask for is done once a moment after the first of them, and not again before a while.

const SOON = 400;

// Answers what hears of a change. `deed` may fail: the next change has it done again. All in milliseconds.
export function seldom(pause, deed) {
  let timer = null;
  let last = -Infinity;
  let isBusy = false;
  const hear = () => (timer ??= setTimeout(run, Math.max(SOON, last + pause - performance.now())));
  async function run() {
    timer = null;
    if (isBusy) return hear();
    isBusy = true;
    last = performance.now();
    try {
      await deed();
    } catch (problem) {
      // The connection says elsewhere that it fails.
      if (!problem.isExpected) console.error(problem);
    } finally {
      isBusy = false;
    }
  }
  hear.end = () => {
    clearTimeout(timer);
    // It is not set any more.
    timer = -1;
  };
  return hear;
}
