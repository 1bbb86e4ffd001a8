import { describe, expect, it } from 'vitest';
import { leastCpuMsOf } from '../../../test/kit/cpu-time.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ListedTool } from '../agent-model.port.js';
import type { MessageExchange } from '../conversation.js';
import { readClauses } from './clauses.js';
import { exactCalls } from './exact-call.js';
import { fieldsOf } from './fields.js';
import { longestText, readInstruction } from './instruction.js';
import { findCandidates, findRelatedTools } from './match.js';
import { planTurn } from './plan.js';
import { tokenizeInstruction } from './tokens.js';

/* Callers' messages and foreign schemas are parsed on the event loop, so parsing must take linear time. */

const ticketTool: ListedTool = {
  name: 'tickets__create_ticket',
  title: 'Create a ticket',
  description: '',
  connectionId: 'c',
  connectionSlug: 'tickets',
  connectionRevision: 1,
  operation: 'tool',
  inputSchema: { properties: { title: { type: 'string' } }, required: ['title'] },
  effect: 'write',
  definitionHash: '',
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
  verdict: 'allow',
};

describe('a text message', () => {
  const calls = (text: string, before?: string) => {
    const exchange = (of: string) => ({ parts: [{ text: of }], calls: [] }) as unknown as MessageExchange;
    return planTurn({ ...exchange(text), ...(before && { follows: exchange(before) }) }, () =>
      Promise.resolve([ticketTool]),
    );
  };
  const ready = { calls: [{ tool: ticketTool.name, arguments: '{"title":"a"}' }] };
  const long = 'a'.repeat(longestText);

  it('does not run if it is too long, alone or together with the message that it continues', async () => {
    expect(await calls('create a ticket titled "a"')).toEqual(ready);
    expect(await calls(`create a ticket titled "${long}"`)).toMatchObject({ state: 'input-required' });
    expect(await calls('titled "a"', 'create a ticket')).toEqual(ready);
    expect(await calls(`titled "${long.slice(20)}"`, 'create a ticket, please')).not.toHaveProperty('calls');
  });

  it.each(['a. ', 'a ', 'a?\n', "' ", 'with and ', 'please ', '"a" '])(
    'of 1 MB is refused within 100 ms of CPU time: many "%s"',
    async (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(await leastCpuMsOf(() => calls(text))).toBeLessThan(100);
      expect(await leastCpuMsOf(() => calls(text, 'create a ticket'))).toBeLessThan(100);
    },
  );

  it.each([',', ': ', 'hi ', 'please ', ', please ', 'can you ', '( '])(
    'of maximum length is parsed within 100 ms of CPU time: many "%s"',
    async (piece) => {
      const text = `${piece.repeat((longestText - 20) / piece.length)} create a ticket`;
      expect(await leastCpuMsOf(() => readInstruction(text))).toBeLessThan(100);
    },
  );
});

describe('a message of 1 MB of exact calls', () => {
  it('is parsed within 500 ms of CPU time', async () => {
    let found: unknown[] = [];
    expect(await leastCpuMsOf(() => (found = exactCalls([{ text: 'a__b:{}'.repeat(140_000) }]).calls))).toBeLessThan(
      500,
    );
    expect(found).toHaveLength(140_000);
  });
});

describe('a message of 90,000 opening quotes', () => {
  it.each(['„', '« ', "' "])(
    'is parsed within 500 ms of CPU time: "%s" before ambiguous closing quotes',
    async (piece) => {
      const text = `${piece.repeat(90_000 / piece.length)} \\“ \\» \\'`;
      expect(await leastCpuMsOf(() => tokenizeInstruction(text))).toBeLessThan(500);
    },
  );
});

describe('a schema of thousands of fields', () => {
  it('is parsed within 500 ms of CPU time', async () => {
    const names = Array.from({ length: 5000 }, (_, number) => `a${number.toString(36)}Id`);
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    expect(await leastCpuMsOf(() => fieldsOf({ properties, required: names }))).toBeLessThan(500);
  });
});

describe('a message of 250 KB for a schema of 64 KB', () => {
  const named = (names: string[], schema: JsonObject) =>
    fieldsOf({ properties: Object.fromEntries(names.map((n) => [n, schema])) });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36));
  const isRed = { type: 'string', enum: [...numbers(8000), 'red'] };

  it.each([
    [
      'labels with a common prefix',
      named(
        numbers(2500).map((n) => `sort_${n}q`),
        { type: 'string' },
      ),
      'sort 5q red ',
    ],
    ['a label of many words', named([Array(3000).fill('a').join('_'), 'a'], { type: 'string' }), 'a a '],
    ['one field repeated', named(['sort'], isRed), 'sort red '],
    ['values that are not in a long enum', named(['sort'], isRed), 'sort blue '],
    ['channels', named(['channel', ...numbers(4000)], { type: 'string', pattern: '^[a-z]+$' }), '#red '],
  ])('is parsed within 500 ms of CPU time: %s', async (_, fields, piece) => {
    const list = tokenizeInstruction(piece.repeat(250_000 / piece.length));
    expect(await leastCpuMsOf(() => readClauses(list, fields))).toBeLessThan(500);
  });
});

describe('a message of 250 KB and 500 tools', () => {
  const tools = Array.from({ length: 500 }, (_, n) => ({ ...ticketTool, name: `tickets__create_ticket_${n}` }));

  it.each([
    ['all tools match', 'create ticket ', findCandidates],
    ['no tool matches', 'tick a ', findRelatedTools],
  ])('are matched within 500 ms of CPU time: %s', async (_, words, find) => {
    const list = tokenizeInstruction(words + 'title a '.repeat(250_000 / 8));
    expect(await leastCpuMsOf(() => find(list, tools))).toBeLessThan(500);
  });
});
