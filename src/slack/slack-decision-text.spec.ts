import { describe, expect, it } from 'vitest';
import { decisionTextOf } from './slack-decision-text.js';

const call = {
  tool: 'desk__create_ticket',
  title: 'Create a ticket',
  description: 'Opens a ticket.',
  effect: 'write',
  tainted: false,
  edits: [],
  destination: ['Desk', 'Address: https://desk.example'],
};
const textOf = (value: object, more: Partial<typeof call> = {}) =>
  decisionTextOf({ ...call, ...more, arguments: JSON.stringify(value) });

describe('the text of a call in Slack', () => {
  it('shows the definition and every argument', () => {
    const text = textOf({ title: 'Gripper', labels: ['belt', 1, null] })!;
    expect(text.definition).toBe(
      'Tool: desk__create_ticket (write)\nCreate a ticket\nOpens a ticket.\nDestination: Desk\nDestination: Address: https://desk.example',
    );
    expect(JSON.parse(text.arguments)).toEqual({ title: 'Gripper', labels: ['belt', 1, null] });
  });

  it('contains no markup, no mentions and no links of Slack, and stays the same JSON', () => {
    const value = { text: '<!channel> <https://evil.example|safe> & &lt;b&gt;' };
    const text = textOf(value)!;
    expect(text.arguments).not.toMatch(/[<>&]/);
    expect(JSON.parse(text.arguments)).toEqual(value);
  });

  it('is left to the page if an approver edited it', () => {
    const edit = { editorId: 'a', editorName: 'Ann', editedAt: new Date(), changes: [] };
    expect(decisionTextOf({ ...call, arguments: '{}', edits: [edit] })).toBeNull();
  });

  it.each([
    ['a long value', { text: 'x'.repeat(3000) }],
    ['many lines', Object.fromEntries(Array.from({ length: 70 }, (_, nth) => [`k${nth}`, nth]))],
    ['an invisible character', { text: 'pay\u200b5' }],
    ['a bidirectional control', { text: 'abc\u202etxt' }],
    ['a name with an invisible character', { 'to\u2060': 1 }],
    ['mixed scripts', { host: 'p\u0430ypal.example' }],
    ['an unusual space', { text: 'a\u00a0b' }],
  ])('is left to the page if it has %s', (_name, value) => {
    expect(textOf(value)).toBeNull();
  });

  it('is left to the page if the definition is long or misleading', () => {
    expect(textOf({}, { description: 'x'.repeat(3000) })).toBeNull();
    expect(textOf({}, { title: 'Create\u202e' })).toBeNull();
    expect(textOf({}, { destination: ['p\u0430ypal'] })).toBeNull();
    expect(textOf({}, { tainted: true })!.definition).toContain('Warning');
  });
});
