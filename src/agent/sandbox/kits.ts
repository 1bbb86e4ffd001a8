import { answers, toArtifact, completes, fails, inSequence, type SandboxScenario, rejects } from './scenario.js';
import {
  asksOnce,
  completesWith,
  converses,
  inPieces,
  namedScenarios,
  requiresCredentials,
  textParts,
  worksInSteps,
} from './named-scenarios.js';

/*
 * Scenarios for the public test kits: a2a-tck 1.0 and 0.3 select them by the prefix of the message id, the project's own
 * corpus by the prefix of the text.
 */

const output = { mediaType: 'text/plain', filename: 'output.txt' };
const completesWithText = (words: string): SandboxScenario => completes([toArtifact(textParts(words))], words);

/** The kit waits twice its streaming timeout of two seconds for a task that still runs. */
const longRunningMs = 5000;

const kitScenarios: readonly (readonly [string, SandboxScenario])[] = [
  ['tck-complete-task', completesWithText('Hello from TCK')],
  ['tck-artifact-text', completesWith(...textParts('Generated text content'))],
  ['tck-artifact-file-url', completesWith({ url: 'https://example.com/output.txt', ...output })],
  ['tck-artifact-file', completesWith({ raw: Buffer.from('output').toString('base64'), ...output })],
  ['tck-artifact-data', completesWith({ data: { key: 'value', count: 42 } })],
  ['tck-message-response', answers(textParts('Direct message response'))],
  ['tck-input-required', asksOnce('More information is required.')],
  ['tck-reject-task', rejects('rejected')],
  ['tck-task-failure', fails('The message requested a failure.')],
  ['tck-auth-required', requiresCredentials],
  ['tck-multi-turn', converses(0)],
  ['tck-cancel', namedScenarios.wait('')],
  ['tck-long-running', worksInSteps(longRunningMs, 5)],
  ['tck-stream-001', completesWith(...textParts('Stream hello from TCK'))],
  ['tck-stream-002', completes([toArtifact(textParts('Done.'))])],
  ['tck-stream-003', completesWith(...textParts('Stream task lifecycle'))],
  ['tck-stream-ordering-001', completesWith(...textParts('Ordered output'))],
  ['tck-stream-artifact-text', completesWith(...textParts('Streamed text content'))],
  ['tck-stream-artifact-file', completesWith({ raw: Buffer.from('output').toString('base64'), ...output })],
  ['tck-stream-artifact-chunked', inPieces(['chunk-1 ', 'chunk-2'], 0)],
  ['tck-stream-chunked', inPieces(['chunk-1 ', 'chunk-2 ', 'chunk-3'], 100)],
  ['tck-stream-basic', completesWith(...textParts('Streamed text content'))],
  ['test-resubscribe-message-id', worksInSteps(longRunningMs, 1)],
];

export const findKitScenario = (idOrText: string): SandboxScenario | null =>
  kitScenarios.find(([prefix]) => idOrText.startsWith(prefix))?.[1] ?? null;

/** A kit message without a scenario of its own completes. */
export const findDefaultKitScenario = (messageId: string): SandboxScenario | null =>
  messageId.startsWith('tck-') ? inSequence(completesWithText('Hello from TCK')) : null;
