import { describe, expect, it } from 'vitest';
import { contentHashOf } from './slack-content.js';

const section = (text: string, more: object = {}) => ({ type: 'section', text: { type: 'plain_text', text }, ...more });

describe('the hash of the content of a Slack message', () => {
  it.each([
    ['ids and flags', section('Arguments', { block_id: 'x', expand: true }), section('Arguments')],
    ['escaped markup', section('a &amp; b &lt;c&gt;'), section('a & b <c>')],
    ['links', section('See <https://example.org|https://example.org>'), section('See https://example.org')],
    ['line ends', section('a\r\nb '), section('a\nb')],
  ])('ignores %s', (_what, reported, posted) => {
    expect(contentHashOf([reported])).toBe(contentHashOf([posted]));
  });

  it.each([
    ['another text', [section('Other')]],
    ['another kind of text', [{ type: 'section', text: { type: 'mrkdwn', text: 'Arguments' } }]],
    ['a further block', [section('Arguments'), section('More')]],
    ['a picture beside the text', [section('Arguments', { accessory: { image_url: 'https://example.org' } })]],
    ['a field', [section('Arguments', { fields: [{ type: 'plain_text', text: 'More' }] })]],
  ])('depends on %s', (_what, blocks) => {
    expect(contentHashOf(blocks)).not.toBe(contentHashOf([section('Arguments')]));
  });

  it('does not exist without blocks, or if they are nested too deeply', () => {
    let nested: unknown = 'text';
    for (let depth = 0; depth < 30; depth++) nested = [nested];
    expect([undefined, null, [], 'text', nested].map(contentHashOf)).toEqual([null, null, null, null, null]);
  });
});
