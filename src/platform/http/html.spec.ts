import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { html } from './html.js';

describe('html', () => {
  it('escapes interpolated values once, and joins lists', () => {
    const item = html`<b title="${'"x"'}">${'<i>&'}</b>`;
    const escaped = '<b title="&quot;x&quot;">&lt;i&gt;&amp;</b>';
    expect(html`${[item, item]}${null}${false}${0}`.toString()).toBe(`${escaped}${escaped}0`);
  });

  it('prevents any text from starting a tag, an attribute or an entity', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(html`${text}`.toString()).not.toMatch(/[<>"'`]|&(?!(amp|lt|gt|quot|#39|#96);)/);
      }),
    );
  });
});
