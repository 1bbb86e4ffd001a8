import { expect } from 'vitest';
import type { Page } from 'playwright-core';

/* Enter counts, because it activates a control as a click does. Filling in a field does not. */
const counting = `
  addEventListener('pointerdown', ({ isTrusted }) => isTrusted && countClick(), true);
  addEventListener('keydown', ({ isTrusted, key }) => isTrusted && key === 'Enter' && countClick(), true);
`;

/** Counts what a person clicks, taps, or activates with Enter on a page, across navigations. */
export class ClickCounter {
  private count = 0;

  /** Counts from the next navigation on. */
  static async start(page: Page): Promise<ClickCounter> {
    const counter = new ClickCounter();
    await page.exposeFunction('countClick', () => void counter.count++);
    await page.addInitScript({ content: counting });
    return counter;
  }

  /** The journey so far took at most this many clicks. */
  expectAtMost(maximum: number): void {
    expect(this.count, 'no click was counted').toBeGreaterThan(0);
    expect(this.count).toBeLessThanOrEqual(maximum);
  }
}
