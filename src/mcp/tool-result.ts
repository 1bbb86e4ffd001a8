import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallOutcome } from '../gate/gate.service.js';

type Ended = Exclude<CallOutcome, { state: 'awaiting_approval' | 'executing' }>;

/** What became of a call, in the words of `tools/call`. A refusal is a result, too: the model is to read why. */
export function toolResult(outcome: CallOutcome): CallToolResult {
  const _meta = {
    'countersign/call': { id: outcome.callId, state: outcome.state, replayed: outcome.replayed ?? false },
  };
  return { ...bodyOf(outcome), _meta };
}

function bodyOf(outcome: CallOutcome): CallToolResult {
  switch (outcome.state) {
    case 'succeeded':
      return resultOf(outcome.result);
    case 'failed':
      return outcome.result ? { ...resultOf(outcome.result), isError: true } : words(outcome.reason, true);
    case 'denied':
      return words([outcome.reason, ...faultsOf(outcome)].join('\n'), true);
    case 'unsettled':
      return words(outcome.reason, true);
    default:
      return words('The call is under way. Make it again with the same arguments to learn its outcome.', false);
  }
}

function resultOf({ content, structured, isError }: Extract<Ended, { state: 'succeeded' }>['result']): CallToolResult {
  return {
    content: content as CallToolResult['content'],
    ...(structured === undefined ? {} : { structuredContent: structured as CallToolResult['structuredContent'] }),
    isError,
  };
}

const faultsOf = ({ faults = [] }: Extract<Ended, { state: 'denied' }>): string[] =>
  faults.map(({ pointer, detail }) => `${pointer || 'arguments'}: ${detail}`);

const words = (text: string, isError: boolean): CallToolResult => ({ content: [{ type: 'text', text }], isError });
