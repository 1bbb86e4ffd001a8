import { answers, artifactOf, completes, fails, inOrder, type Life, rejects } from './life.js';
import { asksOnce, completesWith, converses, inPieces, lives, requires, text, works } from './lives.js';

/*
 * What the public test kits ask for: a2a-tck 1.0 and 0.3 by how a message's id begins, the project's own corpus by how its
 * text does.
 */

const output = { mediaType: 'text/plain', filename: 'output.txt' };
const says = (words: string): Life => completes([artifactOf(text(words))], words);

/** The kit waits twice its streaming timeout, two seconds, for a task that is still at work. */
const longEnoughMs = 5000;

const prefixes: readonly (readonly [string, Life])[] = [
  ['tck-complete-task', says('Hello from TCK')],
  ['tck-artifact-text', completesWith(...text('Generated text content'))],
  ['tck-artifact-file-url', completesWith({ url: 'https://example.com/output.txt', ...output })],
  ['tck-artifact-file', completesWith({ raw: Buffer.from('output').toString('base64'), ...output })],
  ['tck-artifact-data', completesWith({ data: { key: 'value', count: 42 } })],
  ['tck-message-response', answers(text('Direct message response'))],
  ['tck-input-required', asksOnce('More is needed.')],
  ['tck-reject-task', rejects('rejected')],
  ['tck-task-failure', fails('It was asked to fail.')],
  ['tck-auth-required', requires],
  ['tck-multi-turn', converses(0)],
  ['tck-cancel', lives.wait('')],
  ['tck-long-running', works(longEnoughMs, 5)],
  ['tck-stream-001', completesWith(...text('Stream hello from TCK'))],
  ['tck-stream-002', completes([artifactOf(text('Done.'))])],
  ['tck-stream-003', completesWith(...text('Stream task lifecycle'))],
  ['tck-stream-ordering-001', completesWith(...text('Ordered output'))],
  ['tck-stream-artifact-text', completesWith(...text('Streamed text content'))],
  ['tck-stream-artifact-file', completesWith({ raw: Buffer.from('output').toString('base64'), ...output })],
  ['tck-stream-artifact-chunked', inPieces(['chunk-1 ', 'chunk-2'], 0)],
  ['tck-stream-chunked', inPieces(['chunk-1 ', 'chunk-2 ', 'chunk-3'], 100)],
  ['tck-stream-basic', completesWith(...text('Streamed text content'))],
  ['test-resubscribe-message-id', works(longEnoughMs, 1)],
];

export const lifeOfKit = (idOrText: string): Life | null =>
  prefixes.find(([prefix]) => idOrText.startsWith(prefix))?.[1] ?? null;

/** A message of a kit that names no life of its own is met, and that is all. */
export const lifeOfUnknown = (messageId: string): Life | null =>
  messageId.startsWith('tck-') ? inOrder(says('Hello from TCK')) : null;
