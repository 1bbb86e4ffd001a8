import { describe, expect, it } from 'vitest';
import type { TranscriptItem } from '../agent/agent-model.port.js';
import { callCounts, fromRow, openCalls, resultItem, toRow, turnItem } from './transcript.js';

const call = (ref: string) => ({ ref, tool: 'tickets__create', arguments: '{}' });
const of = { callId: 'c', tool: 'tickets__create' };
const result = { content: [], isError: false, outside: false };
const done = (ref: string) => resultItem(ref, { ...of, state: 'succeeded', result, replayed: false });
const said: TranscriptItem = { kind: 'message', parts: [{ text: 'hello' }] };

describe('a transcript', () => {
  it('stores and restores items unchanged, including text that a JSON column would reject', () => {
    const items = [
      said,
      turnItem({ calls: [call('1.1')] }),
      resultItem('1.1', { ...of, state: 'failed', code: 'upstream-failed', reason: 'nul \0 and half \ud800' }),
    ];
    expect(items.map(toRow).map(fromRow)).toEqual(items);
    expect(items.map(toRow).some(({ body }) => body.includes('\0'))).toBe(false);
  });

  it('lists the calls without a result in request order, with or without a message in between', () => {
    const turn = turnItem({ calls: [call('1.1'), call('1.2'), call('1.3')] });
    expect(openCalls([said, turn, done('1.2'), said]).map(({ ref }) => ref)).toEqual(['1.1', '1.3']);
    expect(openCalls([said, turn, done('1.3'), done('1.1'), done('1.2')])).toEqual([]);
    expect(openCalls([said])).toEqual([]);
  });

  it('counts the calls of the task and of the newest message', () => {
    const turn = turnItem({ calls: [call('1.1'), call('1.2')] });
    expect(callCounts([said, turn, done('1.1'), said, turnItem({ calls: [call('2.1')] })])).toEqual({
      ofMessage: 1,
      ofTask: 3,
    });
    expect(callCounts([said])).toEqual({ ofMessage: 0, ofTask: 0 });
  });

  it('stores the question that ended a turn', () => {
    expect(turnItem({ calls: [], end: { state: 'input-required', question: 'which?' } })).toEqual({
      kind: 'turn',
      calls: [],
      question: 'which?',
    });
    expect(turnItem({ text: 'there', calls: [], end: { state: 'completed', artifacts: [] } })).toEqual({
      kind: 'turn',
      calls: [],
      text: 'there',
    });
  });
});
