import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const chromiumPaths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = chromiumPaths.find((place) => place && existsSync(place));

/** Where there is no browser, its tests are skipped and say so; in CI there is one, or they fail. */
export const hasChromium = executablePath !== undefined || process.env.CI === 'true';
if (!hasChromium) console.warn('No Chromium here (apt-get install chromium): tests in a browser are skipped.');

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
