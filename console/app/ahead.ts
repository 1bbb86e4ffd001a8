import { matchRoutes } from 'react-router';
import { areas } from './areas.ts';
import type { router } from './router.tsx';

const restMs = 1000;

/** `saveData`: the browser was told to be sparing (Save-Data, not in every browser). */
const isSparing = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
const rest = () =>
  new Promise<void>((resolve) => {
    setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(() => resolve()) : resolve()), restMs);
  });

/** The code of each area’s first page, one by one, while the first page is being read: a first visit waits for its data alone. */
export async function fetchAhead({ routes, basename }: typeof router): Promise<void> {
  if (isSparing()) return;
  await rest();
  for (const { to, first = to } of areas)
    for (const { route } of matchRoutes(routes, `${basename}${first}`, basename) ?? [])
      if (typeof route.lazy === 'function') await route.lazy();
}
