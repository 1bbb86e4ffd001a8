import { describe, expect, it } from 'vitest';
import type { McpCaller } from '../mcp-caller.js';
import {
  conversationCapabilities,
  supportsTasks,
  supportsUrlElicitation,
  requireCapabilitiesFor,
} from './client-capabilities.js';

const caller = (era: McpCaller['era'], capabilities: McpCaller['capabilities']) => ({ era, capabilities }) as McpCaller;

describe('declared client capabilities', () => {
  it.each([
    ['nothing', {}, {}],
    ['elicitation without a mode, which means forms', { elicitation: {} }, { elicitation: { form: {} } }],
    ['URL elicitation only', { elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [
      'everything',
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
  ])('are passed to connected systems: %s', (_, declared, expected) =>
    expect(conversationCapabilities(declared)).toEqual(expected),
  );

  it('include URL elicitation only if the client declares it', () => {
    expect(supportsUrlElicitation(caller('legacy', { elicitation: { url: {} } }))).toBe(true);
    expect(supportsUrlElicitation(caller('legacy', { elicitation: {} }))).toBe(false);
    expect(supportsUrlElicitation(caller('modern', {}))).toBe(false);
  });

  it('include tasks only in the modern era', () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    expect(supportsTasks(caller('modern', { extensions }))).toBe(true);
    expect(supportsTasks(caller('legacy', { extensions }))).toBe(false);
    expect(supportsTasks(caller('modern', {}))).toBe(false);
  });
});

describe('a question to a client', () => {
  const form = { method: 'elicitation/create', params: { message: 'Name?' } };
  const page = { method: 'elicitation/create', params: { mode: 'url', url: 'https://a.example' } };
  const sampling = { method: 'sampling/createMessage', params: { messages: [] } };
  const withTools = { method: 'sampling/createMessage', params: { messages: [], toolChoice: { mode: 'auto' } } };
  const roots = { method: 'roots/list' };
  const require =
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
  ])('is allowed if the client declares %j', (capabilities, questions) => {
    expect(require(capabilities, questions)).not.toThrow();
  });

  it.each([
    [{}, { form }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { form }, { elicitation: { form: {} } }],
    [{ elicitation: {} }, { page }, { elicitation: { url: {} } }],
    [{}, { sampling }, { sampling: {} }],
    [{ sampling: {} }, { withTools }, { sampling: { tools: {} } }],
    [{ elicitation: {} }, { form, roots }, { roots: {} }],
  ])('names the missing capabilities if the client declares %j', (capabilities, questions, missing) => {
    expect(require(capabilities, questions)).toThrow(
      expect.objectContaining({ code: -32021, data: { requiredCapabilities: missing } }),
    );
  });
});
