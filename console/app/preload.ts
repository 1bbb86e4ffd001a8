import { matchRoutes } from 'react-router';
import { areas } from './areas.ts';
import type { router } from './router.tsx';

const delayMs = 1000;

type Routes = Pick<typeof router, 'routes' | 'basename'>;

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
export async function preloadAreas(router: Routes): Promise<void> {
  if (savesData()) return;
  await delay();
  await idle();
  await import('./search/search-panel.tsx');
  for (const { to, first = to } of areas) {
    await idle();
    await loadPage(router, `${router.basename}${first}`);
  }
}

/** Loads the code of a page when the pointer or the focus reaches a link to it, before the click. */
export function preloadLinkedPages(router: Routes): void {
  const load = ({ target }: Event) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href]');
    if (!link || link.origin !== location.origin) return;
    loadPage(router, link.pathname).catch(() => undefined); // the router loads it again after the click, and reports the error
  };
  addEventListener('pointerover', load, { passive: true });
  addEventListener('focusin', load);
}

async function loadPage({ routes, basename }: Routes, pathname: string): Promise<void> {
  const matches = matchRoutes(routes, pathname, basename) ?? [];
  await Promise.all(matches.flatMap(({ route: { lazy } }) => (typeof lazy === 'function' ? [lazy()] : [])));
}
