import { describe, expect, it } from 'vitest';
import type { Caller } from '../caller.js';
import { askable, keepsTasks, opensLinks, requireAskable } from './abilities.js';

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

describe('a question', () => {
  const form = { method: 'elicitation/create', params: { message: 'Name?' } };
  const page = { method: 'elicitation/create', params: { mode: 'url', url: 'https://a.example' } };
  const sampling = { method: 'sampling/createMessage', params: { messages: [] } };
  const withTools = { method: 'sampling/createMessage', params: { messages: [], toolChoice: { mode: 'auto' } } };
  const roots = { method: 'roots/list' };
  const asked = (capabilities: Caller['capabilities'], questions: Parameters<typeof requireAskable>[1]) => () =>
    requireAskable(caller('modern', capabilities), questions);

  it.each([
    [{ elicitation: {} }, { form }],
    [{ elicitation: { form: {} } }, { form }],
    [{ elicitation: { url: {} } }, { page }],
    [{ sampling: {} }, { sampling }],
    [{ sampling: { tools: {} } }, { withTools }],
    [
      { roots: {}, elicitation: {} },
      { roots, form },
    ],
    [{}, {}],
  ])('is put to a client that declares %j', (capabilities, questions) => {
    expect(asked(capabilities, questions)).not.toThrow();
  });

  it.each([
    [{}, { form }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { form }, { elicitation: { form: {} } }],
    [{ elicitation: {} }, { page }, { elicitation: { url: {} } }],
    [{}, { sampling }, { sampling: {} }],
    [{ sampling: {} }, { withTools }, { sampling: { tools: {} } }],
    [{ elicitation: {} }, { form, roots }, { roots: {} }],
  ])('is not put to one that declares %j, which hears what it lacks', (capabilities, questions, lacked) => {
    expect(asked(capabilities, questions)).toThrow(
      expect.objectContaining({ code: -32021, data: { requiredCapabilities: lacked } }),
    );
  });
});
