import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright-core';

/* Measures what a user experiences on a page of the console: bytes on the wire, and time until it is rendered. */

const assets = path.join(import.meta.dirname, '../dist/web/assets');
const restMs = 250;
const drawnWithinMs = 60_000;
const scrolledWithinMs = 20 * 60_000;
const rowsOfPage = 100;

export interface Scrolled {
  pages: number;
  seconds: number;
  /** The maximum number of rows in the document at any time. */
  mostRows: number;
}

export class WatchedPage {
  readonly page: Page;
  private loaded = new Set<string>();

  private constructor(page: Page) {
    this.page = page;
    page.on('request', (request) => {
      const name = /\/assets\/([^/]+\.js)$/.exec(request.url())?.[1];
      if (name) this.loaded.add(name);
    });
  }

  static async in(context: BrowserContext): Promise<WatchedPage> {
    const page = await context.newPage();
    await page.addInitScript({ path: path.join(import.meta.dirname, 'console-page.js') });
    return new WatchedPage(page);
  }

  /** The compressed size of the scripts that were requested since the last call. */
  async kilobytes(): Promise<number> {
    const contents = await Promise.all([...this.loaded].map((name) => readFile(path.join(assets, name))));
    this.loaded = new Set();
    return contents.reduce((sum, content) => sum + gzipSync(content).byteLength, 0) / 1000;
  }

  /** Largest contentful paint after navigating to the URL, in milliseconds. */
  async largestPaint(address: string): Promise<number> {
    await this.page.goto(address);
    await this.untilDrawn();
    return this.page.evaluate<number>('bench.largestMs');
  }

  /** Time from a click on a navigation link to the last change of the new page, in milliseconds. */
  async pageChange(label: string): Promise<number> {
    const link = this.page.getByRole('link', { name: new RegExp(`^${label}`) }).first();
    await link.click();
    await this.untilDrawn();
    return this.page.evaluate<number>('bench.changedAt - bench.clickedAt');
  }

  async scrollToTheEnd(address: string, rows: number): Promise<Scrolled> {
    await this.page.goto(address);
    await this.untilDrawn();
    const scrolled = `bench.scrollToTheEnd(${JSON.stringify(rows.toLocaleString('en'))}, ${scrolledWithinMs})`;
    const { ms, mostRows } = await this.page.evaluate<{ ms: number; mostRows: number }>(scrolled);
    return { pages: rows / rowsOfPage, seconds: ms / 1000, mostRows };
  }

  private untilDrawn() {
    return this.page.evaluate(`bench.untilDrawn(${restMs}, ${drawnWithinMs})`);
  }
}
