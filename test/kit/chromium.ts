import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const chromiumPaths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = chromiumPaths.find((place) => place && existsSync(place));

/** Without a browser, its tests are skipped with a warning. In CI they fail instead. */
export const hasChromium = executablePath !== undefined || process.env.CI === 'true';
if (!hasChromium) console.warn('No Chromium here (apt-get install chromium): tests in a browser are skipped.');

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
