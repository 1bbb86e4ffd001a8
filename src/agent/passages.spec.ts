import { describe, expect, it } from 'vitest';
import type { AnsweredCall } from './conversation.js';
import { listCitables, searchResultOf, searchTool } from './passages.js';

const passage = (chunkId: string) => ({
  documentId: `document of ${chunkId}`,
  chunkId,
  title: chunkId,
  source: 'chat',
  kind: 'message',
  snippet: 'Text.',
  text: 'Text.',
  coverage: 1,
  retrievedAt: '2026-11-20T10:00:00.000Z',
});

const searchCall = (structured: object) =>
  ({
    ref: '1',
    tool: searchTool,
    arguments: '{}',
    outcome: { callId: '1', state: 'succeeded', result: { content: [], structured, isError: false } },
  }) as unknown as AnsweredCall;

describe('the result of a search', () => {
  it('contains linked documents after the passages, each to be cited on its own', () => {
    const call = searchCall({ passages: [passage('thread')], linked: [passage('ticket')], sources: 2 });
    expect(searchResultOf(call)!.passages.map(({ chunkId }) => chunkId)).toEqual(['thread', 'ticket']);
    expect(listCitables([call]).map(({ chunkId }) => chunkId)).toEqual(['thread', 'ticket']);
  });

  it('of an earlier version has no linked documents', () => {
    const call = searchCall({ passages: [passage('thread')], sources: 2 });
    expect(searchResultOf(call)!.passages.map(({ chunkId }) => chunkId)).toEqual(['thread']);
  });
});
