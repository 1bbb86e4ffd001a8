import { describe, expect, it } from 'vitest';
import type { McpCaller } from '../mcp-caller.js';
import {
  conversationCapabilities,
  supportsTasks,
  supportsUrlElicitation,
  requireCapabilitiesFor,
} from './client-capabilities.js';

const caller = (era: McpCaller['era'], capabilities: McpCaller['capabilities']) => ({ era, capabilities }) as McpCaller;

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
  ])('may be asked of it: %s', (_, declared, asked) => expect(conversationCapabilities(declared)).toEqual(asked));

  it('opens pages only where it says so', () => {
    expect(supportsUrlElicitation(caller('legacy', { elicitation: { url: {} } }))).toBe(true);
    expect(supportsUrlElicitation(caller('legacy', { elicitation: {} }))).toBe(false);
    expect(supportsUrlElicitation(caller('modern', {}))).toBe(false);
  });

  it('keeps tasks only in the era that has extensions', () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    expect(supportsTasks(caller('modern', { extensions }))).toBe(true);
    expect(supportsTasks(caller('legacy', { extensions }))).toBe(false);
    expect(supportsTasks(caller('modern', {}))).toBe(false);
  });
});

describe('a question', () => {
  const form = { method: 'elicitation/create', params: { message: 'Name?' } };
  const page = { method: 'elicitation/create', params: { mode: 'url', url: 'https://a.example' } };
  const sampling = { method: 'sampling/createMessage', params: { messages: [] } };
  const withTools = { method: 'sampling/createMessage', params: { messages: [], toolChoice: { mode: 'auto' } } };
  const roots = { method: 'roots/list' };
  const asked =
    (capabilities: McpCaller['capabilities'], questions: Parameters<typeof requireCapabilitiesFor>[1]) => () =>
      requireCapabilitiesFor(caller('modern', capabilities), questions);

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
