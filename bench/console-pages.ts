import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright-core';

/* What a page of the console costs somebody who opens it: what comes over the wire, and how long until it is drawn. */

const assets = path.join(import.meta.dirname, '../dist/web/assets');
const restMs = 250;
const rowsOfPage = 100;

export interface Scrolled {
  pages: number;
  seconds: number;
  /** The most rows that ever stood in the document. */
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

  /** Of the scripts that were asked for since the last time, compressed. */
  async kilobytes(): Promise<number> {
    const contents = await Promise.all([...this.loaded].map((name) => readFile(path.join(assets, name))));
    this.loaded = new Set();
    return contents.reduce((sum, content) => sum + gzipSync(content).byteLength, 0) / 1000;
  }

  /** When the largest part of a page is there, from asking for its address on, in milliseconds. */
  async largestPaint(address: string): Promise<number> {
    await this.page.goto(address);
    await this.untilDrawn();
    return this.page.evaluate<number>('bench.largestMs');
  }

  /** From the click on a link of the navigation to the last change of the page that it leads to, in milliseconds. */
  async pageChange(label: string): Promise<number> {
    const link = this.page.getByRole('link', { name: new RegExp(`^${label}`) }).first();
    await link.click();
    await this.untilDrawn();
    return this.page.evaluate<number>('bench.changedAt - bench.clickedAt');
  }

  async scrollToTheEnd(address: string, rows: number): Promise<Scrolled> {
    await this.page.goto(address);
    await this.untilDrawn();
    const scrolled = `bench.scrollToTheEnd(${JSON.stringify(rows.toLocaleString('en'))})`;
    const { ms, mostRows } = await this.page.evaluate<{ ms: number; mostRows: number }>(scrolled);
    return { pages: rows / rowsOfPage, seconds: ms / 1000, mostRows };
  }

  private untilDrawn() {
    return this.page.evaluate(`bench.untilDrawn(${restMs})`);
  }
}
