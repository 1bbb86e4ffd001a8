/* Measures inside the page. This script runs before the page's own scripts. */

const bench = { openRequests: 0, largestMs: 0, clickedAt: 0, clickedOn: '', changedAt: 0 };
globalThis.bench = bench;

const { fetch } = globalThis;
globalThis.fetch = async (...args) => {
  bench.openRequests++;
  try {
    return await fetch(...args);
  } finally {
    bench.openRequests--;
  }
};

new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) bench.largestMs = startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true });

addEventListener('click', () => Object.assign(bench, { clickedAt: performance.now(), clickedOn: location.href }), {
  capture: true,
});
const changes = new MutationObserver(() => (bench.changedAt = performance.now()));
addEventListener('DOMContentLoaded', () =>
  changes.observe(document.body, { childList: true, subtree: true, characterData: true }),
);

/** True if a new page is shown, no request is pending, and the document has not changed for a while. */
const isDrawn = (restMs) =>
  location.href !== bench.clickedOn &&
  bench.changedAt > bench.clickedAt &&
  bench.openRequests === 0 &&
  document.querySelector('main h1') !== null &&
  !document.querySelector('main [aria-busy=true]') &&
  performance.now() - bench.changedAt > restMs;

bench.untilDrawn = async (restMs, withinMs) => {
  const until = performance.now() + withinMs;
  while (!isDrawn(restMs)) {
    if (performance.now() > until) throw new Error(`${location.href} is not drawn after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Scrolls a list as fast as possible until it shows that all rows are loaded. */
bench.scrollToTheEnd = async (count, withinMs) => {
  const since = performance.now();
  let mostRows = 0;
  while (!document.querySelector('main').innerText.includes(`${count} of ${count}`)) {
    if (performance.now() - since > withinMs) throw new Error(`the list is not at its end after ${withinMs} ms`);
    window.scrollTo(0, document.documentElement.scrollHeight);
    await new Promise(requestAnimationFrame);
    mostRows = Math.max(mostRows, document.querySelectorAll('tbody tr[data-index]').length);
  }
  return { ms: performance.now() - since, mostRows };
};
