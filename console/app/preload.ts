import { matchRoutes } from 'react-router';
import { areas } from './areas.ts';
import type { router } from './router.tsx';

const delayMs = 1000;

/** Whether the browser asks for less data (Save-Data, not in every browser). */
const savesData = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
const delay = () => new Promise((resolve) => void setTimeout(resolve, delayMs));
/** Not in every browser; the others continue after a delay. */
const idle = () =>
  'requestIdleCallback' in window ? new Promise((resolve) => void requestIdleCallback(resolve)) : delay();

/**
 * Loads the code of the search and of each area’s first page while the browser is idle, so that a first visit waits for
 * data only. Waits before each, because somebody may open a page in between.
 */
export async function preloadAreas({ routes, basename }: typeof router): Promise<void> {
  if (savesData()) return;
  await delay();
  await idle();
  await import('./search/search-panel.tsx');
  for (const { to, first = to } of areas) {
    await idle();
    for (const { route } of matchRoutes(routes, `${basename}${first}`, basename) ?? [])
      if (typeof route.lazy === 'function') await route.lazy();
  }
}
