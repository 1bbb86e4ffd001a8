import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { html } from './html.js';

describe('html', () => {
  it('escapes what is put in, once, and joins lists', () => {
    const item = html`<li title="${'"x"'}">${'<b>&'}</li>`;
    expect(
      html`<ul>
        ${[item, item]}${null}${false}${0}
      </ul>`.toString(),
    ).toBe('<ul><li title="&quot;x&quot;">&lt;b&gt;&amp;</li><li title="&quot;x&quot;">&lt;b&gt;&amp;</li>0</ul>');
  });

  it('lets no text open a tag, an attribute or an entity', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(html`${text}`.toString()).not.toMatch(/[<>"'`]|&(?!(amp|lt|gt|quot|#39|#96);)/);
      }),
    );
  });
});
