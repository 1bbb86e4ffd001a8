import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ListedTool } from '../agent-model.service.js';
import { readClauses } from './clauses.js';
import { fieldsOf } from './fields.js';
import { readInstruction } from './instruction.js';
import { candidates, related } from './match.js';
import { tokens } from './tokens.js';

/* Messages of callers and schemas of other systems are read on the event loop, so in linear time. */

const processorMs = (act: () => void): number => {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

describe('a message of 250 KB', () => {
  it.each([',', ': ', 'hi ', 'please ', ', please ', 'can you ', '( '])('is read in a moment: many "%s"', (piece) => {
    const text = `${piece.repeat(250_000 / piece.length)} create a ticket`;
    expect(processorMs(() => readInstruction(text))).toBeLessThan(1000);
  });
});

describe('a message of 90,000 opening quotes', () => {
  it.each(['„', '« ', "' "])('is read in a moment: "%s" before one that closes in two ways', (piece) => {
    const text = `${piece.repeat(90_000 / piece.length)} \\“ \\» \\'`;
    expect(processorMs(() => tokens(text))).toBeLessThan(500);
  });
});

describe('a schema of thousands of fields', () => {
  it('is read in a moment', () => {
    const names = Array.from({ length: 5000 }, (_, number) => `a${number.toString(36)}Id`);
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    expect(processorMs(() => fieldsOf({ properties, required: names }))).toBeLessThan(500);
  });
});

describe('a message of 250 KB about a schema of 64 KB', () => {
  const named = (names: string[], schema: JsonObject) =>
    fieldsOf({ properties: Object.fromEntries(names.map((n) => [n, schema])) });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36));
  const isRed = { type: 'string', enum: [...numbers(8000), 'red'] };

  it.each([
    [
      'labels that begin alike',
      named(
        numbers(2500).map((n) => `sort_${n}q`),
        { type: 'string' },
      ),
      'sort 5q red ',
    ],
    ['a label of many words', named([Array(3000).fill('a').join('_'), 'a'], { type: 'string' }), 'a a '],
    ['one field again and again', named(['sort'], isRed), 'sort red '],
    ['values that a long list does not have', named(['sort'], isRed), 'sort blue '],
    ['channels', named(['channel', ...numbers(4000)], { type: 'string', pattern: '^[a-z]+$' }), '#red '],
  ])('is read in a moment: %s', (_, fields, piece) => {
    const list = tokens(piece.repeat(250_000 / piece.length));
    expect(processorMs(() => readClauses(list, fields))).toBeLessThan(500);
  });
});

describe('a message of 250 KB and 500 tools', () => {
  const tool: ListedTool = {
    name: '',
    title: 'Create a ticket',
    description: '',
    connectionId: 'c',
    connectionSlug: 'tickets',
    connectionRevision: 1,
    operation: 'tool',
    inputSchema: { properties: { title: { type: 'string' } }, required: ['title'] },
    effect: 'write',
    definitionHash: '',
    paused: false,
    heldBack: false,
    isForeign: false,
    verdict: 'allow',
  };
  const tools = Array.from({ length: 500 }, (_, n) => ({ ...tool, name: `tickets__create_ticket_${n}` }));

  it.each([
    ['that all of them fit', 'create ticket ', candidates],
    ['that none of them fits', 'tick a ', related],
  ])('are read in a moment: %s', (_, words, find) => {
    const list = tokens(words + 'title a '.repeat(250_000 / 8));
    expect(processorMs(() => find(list, tools))).toBeLessThan(500);
  });
});
