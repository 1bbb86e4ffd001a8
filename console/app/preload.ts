import { matchRoutes } from 'react-router';
import { areas } from './areas.ts';
import type { router } from './router.tsx';

const delayMs = 1000;

/** Whether the browser asks for less data (Save-Data, not in every browser). */
const savesData = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
const idle = () =>
  new Promise<void>((resolve) => {
    setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(() => resolve()) : resolve()), delayMs);
  });

/**
 * Loads the code of the search and of each area’s first page while the browser is idle, so that a first visit waits for
 * data only.
 */
export async function preloadAreas({ routes, basename }: typeof router): Promise<void> {
  if (savesData()) return;
  await idle();
  await import('./search/search-panel.tsx');
  for (const { to, first = to } of areas)
    for (const { route } of matchRoutes(routes, `${basename}${first}`, basename) ?? [])
      if (typeof route.lazy === 'function') await route.lazy();
}
