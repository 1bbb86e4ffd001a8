import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const smallTouchTargets = readFileSync(new URL('./touch-targets.browser.js', import.meta.url), 'utf8');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Scheme = 'light' | 'dark';
const desktopSize = { width: 1280, height: 800 };
const phoneSize = { width: 360, height: 740 };
/** Rules that depend on colors. All others give the same result in both color schemes. */
const colourRules = { runOnly: ['color-contrast', 'link-in-text-block'] };

/**
 * Accessibility faults of an open page, one per line: checked by axe at desktop and phone size, in light and dark
 * colors. Also reports if the page is wider than the window, and controls that are too small for a finger.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  return [
    ...(await accessibilityFaultsAt(page, desktopSize, 'light')),
    ...(await accessibilityFaultsAt(page, desktopSize, 'dark', colourRules)),
    ...(await accessibilityFaultsAt(page, phoneSize, 'dark')),
    ...(await accessibilityFaultsAt(page, phoneSize, 'light', colourRules)),
    ...(await page.evaluate<string[]>(smallTouchTargets)),
  ];
}

async function accessibilityFaultsAt(
  page: Page,
  size: typeof desktopSize,
  colorScheme: Scheme,
  more: object = {},
): Promise<string[]> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.evaluate(colourSchemeApplied(colorScheme));
  // no preload: the rules that read style sheets need none from other origins
  const options = { resultTypes: ['violations'], preload: false, ...more };
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  const faults = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
  if (width > size.width) faults.push(`it is ${width} pixels wide`);
  return faults.map((fault) => `${size.width} ${colorScheme}: ${fault}`);
}

/** Waits two frames after the page's script, if it handles color schemes, has applied the scheme. */
const colourSchemeApplied = (scheme: Scheme) => `(async () => {
  const { dataset } = document.documentElement;
  const frame = () => new Promise(requestAnimationFrame);
  while (dataset.mantineColorScheme && dataset.mantineColorScheme !== '${scheme}') await frame();
  await frame();
  await frame();
  for (const moving of document.getAnimations()) if (moving instanceof CSSTransition) moving.finish();
})()`;
