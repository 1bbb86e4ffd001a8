import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../caller.js';
import { askable, keepsTasks, opensLinks } from './abilities.js';

const caller = (era: Caller['era'], capabilities: Caller['capabilities']) => ({ era, capabilities }) as Caller;

describe('what a client has declared', () => {
  it.each([
    ['nothing', {}, {}],
    ['elicitation without a word, which is forms', { elicitation: {} }, { elicitation: { form: {} } }],
    ['pages alone', { elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [
      'all of it',
      {
        elicitation: { form: { applyDefaults: true }, url: {} },
        sampling: { tools: {} },
        roots: { listChanged: true },
      },
      {
        elicitation: { form: { applyDefaults: true }, url: {} },
        sampling: { tools: {} },
        roots: { listChanged: true },
      },
    ],
  ])('may be asked of it: %s', (_, declared, asked) => expect(askable(declared)).toEqual(asked));

  it('opens pages only where it says so', () => {
    expect(opensLinks(caller('legacy', { elicitation: { url: {} } }))).toBe(true);
    expect(opensLinks(caller('legacy', { elicitation: {} }))).toBe(false);
    expect(opensLinks(caller('modern', {}))).toBe(false);
  });

  it('keeps tasks only in the era that has extensions', () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    expect(keepsTasks(caller('modern', { extensions }))).toBe(true);
    expect(keepsTasks(caller('legacy', { extensions }))).toBe(false);
    expect(keepsTasks(caller('modern', {}))).toBe(false);
  });
});
