import path from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium } from '../examples/chromium.ts';
import { demoBeside } from '../examples/demo/beside.ts';
import type { Organization } from '../examples/demo/organization.ts';
import { start } from './child.ts';
import type { ConsoleBenchOutput } from './console-ours.ts';
import { WatchedPage } from './console-pages.ts';
import { onDatabase } from './database.ts';
import { machine, type Options, type Report, type Row } from './report.ts';

/*
 * The console from the user's point of view: headless Chromium on the organization of the demo. Sizes are those of the
 * files that the browser actually requested, compressed with gzip.
 */

const listRows = Number(process.env.CONSOLE_ROWS ?? 100_000);
const goals = { firstLoad: 250, paintMs: 1500, changeMs: 200, rowsInPage: 200 };
const areas = [
  'Approvals',
  'Tasks',
  'Agents',
  'Integration settings',
  'Knowledge',
  'Spend',
  'AI estate',
  'Audit',
  'Organization',
];
const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

export async function webConsole({ runs, say }: Options): Promise<Report> {
  const browser = await launchChromium();
  try {
    const rows = [...(await onDemo(browser, runs, say)), ...(await longList(browser, say))];
    return { name: 'console', machine: machine(), rows };
  } finally {
    await browser.close();
  }
}

async function onDemo(browser: Browser, runs: number, say: Options['say']): Promise<Row[]> {
  const demo = await demoBeside();
  try {
    const context = await signedIn(browser, demo.organization);
    const opened = await firstLoads(context, runs, say);
    const changed = await pageChanges(context, runs, say);
    return [...opened, ...changed];
  } finally {
    await demo.stop();
  }
}

async function signedIn(browser: Browser, { baseUrl, slug, requester }: Organization): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: baseUrl });
  const page = await context.newPage();
  await page.goto(`/sign-in?organization=${slug}&next=/account`);
  await page.getByLabel('Email').fill(requester.email);
  await page.getByLabel('Password').fill(requester.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('/account');
  await page.close();
  return context;
}

/** With an empty cache for each load. */
async function firstLoads(context: BrowserContext, runs: number, say: Options['say']): Promise<Row[]> {
  const paints: number[] = [];
  let kilobytes = 0;
  for (let run = 0; run < runs; run++) {
    const watched = await WatchedPage.in(context);
    const devices = await context.newCDPSession(watched.page);
    await devices.send('Network.setCacheDisabled', { cacheDisabled: true });
    paints.push(await watched.largestPaint('/console'));
    kilobytes = await watched.kilobytes();
    await watched.page.close();
  }
  say(`first load: ${kilobytes.toFixed(0)} kB, largest paint after ${paints.map(Math.round).join(', ')} ms`);
  const worst = Math.max(...paints);
  return [
    {
      ...blank,
      what: 'JavaScript of the first load, kB gzip',
      ours: kilobytes,
      goal: `≤ ${goals.firstLoad}`,
      met: kilobytes <= goals.firstLoad,
    },
    {
      ...blank,
      what: 'largest contentful paint, nothing cached, ms',
      ours: worst,
      p50: middle(paints),
      goal: `≤ ${goals.paintMs}`,
      met: worst <= goals.paintMs,
    },
  ];
}

async function pageChanges(context: BrowserContext, runs: number, say: Options['say']): Promise<Row[]> {
  const watched = await WatchedPage.in(context);
  await watched.largestPaint('/console');
  await watched.kilobytes();
  const first: number[] = [];
  const sizes: Row[] = [];
  for (const area of areas) {
    first.push(await watched.pageChange(area));
    const kilobytes = await watched.kilobytes();
    say(`${area}: ${first.at(-1)!.toFixed(0)} ms at first, ${kilobytes.toFixed(0)} kB more`);
    sizes.push({ ...blank, what: `${area}, kB gzip more`, ours: kilobytes });
  }
  const again: number[] = [];
  for (let run = 0; run < runs; run++) for (const area of areas) again.push(await watched.pageChange(area));
  await watched.page.close();
  return [...sizes, change('page change at first', first), change('page change again', again)];
}

const change = (what: string, times: number[]): Row => ({
  ...blank,
  what: `${what}, p95 over the areas, ms`,
  ours: at(times, 0.95),
  p50: middle(times),
  goal: `≤ ${goals.changeMs}`,
  met: at(times, 0.95) <= goals.changeMs,
});

/** On a separate server with `listRows` groups. */
const longList = (browser: Browser, say: Options['say']): Promise<Row[]> =>
  onDatabase(async (environment) => {
    const file = path.join(import.meta.dirname, 'console-ours.ts');
    const ours = await start<ConsoleBenchOutput>(file, [], { ...environment, ROWS: String(listRows) });
    try {
      const context = await browser.newContext({ baseURL: ours.output.url });
      await context.addCookies([{ ...ours.output.cookie, url: ours.output.url }]);
      const list = await WatchedPage.in(context);
      const { pages, seconds, mostRows } = await list.scrollToTheEnd('/console/organization/groups', listRows);
      const what = `${listRows.toLocaleString('en')} rows scrolled to the end`;
      say(`${what}: ${pages} pages in ${seconds.toFixed(1)} s, never more than ${mostRows} in the document`);
      return [
        { ...blank, what: `${what}, ms a page of 100`, ours: (1000 * seconds) / pages },
        {
          ...blank,
          what: `${what}, rows in the document`,
          ours: mostRows,
          goal: `≤ ${goals.rowsInPage}`,
          met: mostRows <= goals.rowsInPage,
        },
      ];
    } finally {
      await ours.stop();
    }
  });

const at = (times: number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(share * times.length) - 1];
const middle = (times: number[]): number => at(times, 0.5);
