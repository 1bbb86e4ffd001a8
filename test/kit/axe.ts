import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Scheme = 'light' | 'dark';
const desktopSize = { width: 1280, height: 800 };
const phoneSize = { width: 360, height: 740 };
/** What hangs on the colours; everything else is the same in both schemes. */
const colourRules = { runOnly: ['color-contrast', 'link-in-text-block'] };

/**
 * What is wrong with an open page for those who do not see it well, one line a fault: by axe, at a desk and on a phone, in
 * light and in dark colours; and where it is wider than the window.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  return [
    ...(await accessibilityFaultsAt(page, desktopSize, 'light')),
    ...(await accessibilityFaultsAt(page, desktopSize, 'dark', colourRules)),
    ...(await accessibilityFaultsAt(page, phoneSize, 'dark')),
    ...(await accessibilityFaultsAt(page, phoneSize, 'light', colourRules)),
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
  // nothing is loaded again: the rules that would look at style sheets need none of other origins
  const asked = { resultTypes: ['violations'], preload: false, ...more };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(asked)})`);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  const faults = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
  if (width > size.width) faults.push(`it is ${width} pixels wide`);
  return faults.map((fault) => `${size.width} ${colorScheme}: ${fault}`);
}

/** Two frames after a script of the page, if it has one that minds the colours, has heard of them. */
const colourSchemeApplied = (scheme: Scheme) => `(async () => {
  const { dataset } = document.documentElement;
  const frame = () => new Promise(requestAnimationFrame);
  while (dataset.mantineColorScheme && dataset.mantineColorScheme !== '${scheme}') await frame();
  await frame();
  await frame();
  for (const moving of document.getAnimations()) if (moving instanceof CSSTransition) moving.finish();
})()`;
