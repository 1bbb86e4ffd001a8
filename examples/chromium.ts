import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell', // needs half of the CPU time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = places.find((place) => place && existsSync(place));

export const isChromiumInstalled = executablePath !== undefined;

export function launchChromium(): Promise<Browser> {
  if (!isChromiumInstalled)
    throw new Error('Chromium is not installed: apt-get install chromium-headless-shell, or name one in CHROMIUM.');
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
