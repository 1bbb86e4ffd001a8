import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolResult } from '../connections/tools.service.js';
import type { CallOutcome } from '../gate/gate.service.js';
import { documentLinks } from './document-links.js';
import { editMeta, noticeMeta } from './notice-meta.js';

const searchTool = 'knowledge__search';

/** Maps a call outcome to a `tools/call` result. A denial is a result too, so that the model can read the reason. */
export function toolResult(outcome: CallOutcome): CallToolResult {
  const _meta = {
    'countersign/call': {
      id: outcome.callId,
      state: outcome.state,
      replayed: outcome.replayed ?? false,
      ...(outcome.isOverridden ? { approvalOverridden: true } : {}),
    },
  };
  return { ...resultBody(outcome), _meta: { ..._meta, ...noticeMeta(outcome), ...editMeta(outcome) } };
}

function resultBody(outcome: CallOutcome): CallToolResult {
  switch (outcome.state) {
    case 'succeeded':
      return withLinks(outcome.tool, outcome.result);
    case 'failed':
      return outcome.result ? { ...resultOf(outcome.result), isError: true } : toTextResult(outcome.reason, true);
    case 'denied':
      return toTextResult([outcome.reason, ...faultsOf(outcome)].join('\n'), true);
    case 'unsettled':
      return toTextResult(outcome.reason, true);
    default:
      return toTextResult('The call is still running. Call again with the same arguments to get its outcome.', false);
  }
}

function withLinks(tool: string, result: ToolResult): CallToolResult {
  const answer = resultOf(result);
  if (tool !== searchTool || result.isError) return answer;
  return { ...answer, content: [...answer.content, ...documentLinks(result)] };
}

function resultOf({ content, structured, isError }: ToolResult): CallToolResult {
  return {
    content: content as CallToolResult['content'],
    ...(structured === undefined ? {} : { structuredContent: structured as CallToolResult['structuredContent'] }),
    isError,
  };
}

const faultsOf = ({ faults = [] }: Extract<CallOutcome, { state: 'denied' }>): string[] =>
  faults.map(({ pointer, detail }) => `${pointer || 'arguments'}: ${detail}`);

const toTextResult = (text: string, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError,
});
