import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { TranscriptItem } from './agent-model.port.js';
import { answeredCalls, readExchanges, isOfSameTurn, nextRef } from './conversation.js';

const say = (text: string): TranscriptItem => ({ kind: 'message', parts: [{ text }] });
const turn = (...refs: string[]): TranscriptItem => ({
  kind: 'turn',
  calls: refs.map((ref) => ({ ref, tool: 'a__b', arguments: '{}' })),
});
const result = (ref: string): TranscriptItem => ({ kind: 'result', ref, outcome: { state: 'succeeded', callId: ref } });
const question: TranscriptItem = { kind: 'turn', calls: [], question: 'Which?' };

const shape = (...items: TranscriptItem[]) =>
  readExchanges(items).map(({ parts, calls, follows, isHandled }) => [
    parts.map((part) => ('text' in part ? part.text : '')).join(),
    calls.map(({ ref }) => ref).join(),
    follows ? 'follows' : '',
    isHandled,
  ]);

describe('readExchanges', () => {
  it('assigns a turn to the oldest unhandled message', () => {
    expect(shape(say('a'), turn('1-1'), say('b'), result('1-1'), turn('2-1'))).toEqual([
      ['a', '1-1', '', true],
      ['b', '2-1', '', true],
    ]);
  });

  it('assigns a further turn to the latest message', () => {
    expect(shape(say('a'), turn('1-1'), result('1-1'), turn('2-1'))).toEqual([['a', '1-1,2-1', '', true]]);
  });

  it('links an answer to the message whose question it answers', () => {
    expect(shape(say('a'), question, say('b'))).toEqual([
      ['a', '', '', true],
      ['b', '', 'follows', false],
    ]);
  });

  it('rejects a transcript that does not begin with a message', () => {
    expect(() => readExchanges([turn('1-1')])).toThrow('must begin with a message');
  });
});

it('answeredCalls returns every call with its outcome, or names the call without one', () => {
  expect(
    answeredCalls([say('a'), turn('1-1', '1-2'), result('1-2'), result('1-1')]).map(({ outcome }) => outcome.callId),
  ).toEqual(['1-1', '1-2']);
  expect(() => answeredCalls([say('a'), turn('1-1', '1-2'), result('1-2')])).toThrow('1-1');
});

it('nextRef never repeats a reference, and isOfSameTurn recognizes calls of one turn', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }), (sizes) => {
      const transcript: TranscriptItem[] = [say('a')];
      for (const size of sizes) {
        const refs = Array.from({ length: size }, (_, position) => nextRef(transcript, position));
        transcript.push(turn(...refs), ...refs.map(result));
      }
      const calls = answeredCalls(transcript);
      expect(new Set(calls.map(({ ref }) => ref)).size).toBe(calls.length);
      const last = calls.at(-1);
      expect(calls.filter((call) => isOfSameTurn(call, last))).toHaveLength(sizes.at(-1) ?? 0);
      for (const { ref } of calls) expect(ref).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    }),
  );
});
