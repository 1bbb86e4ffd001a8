import { describe, expect, it } from 'vitest';
import { fieldsOf } from './fields.js';
import { readInstruction } from './instruction.js';

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

describe('a schema of thousands of fields', () => {
  it('is read in a moment', () => {
    const names = Array.from({ length: 5000 }, (_, number) => `a${number.toString(36)}Id`);
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    expect(processorMs(() => fieldsOf({ properties, required: names }))).toBeLessThan(500);
  });
});
