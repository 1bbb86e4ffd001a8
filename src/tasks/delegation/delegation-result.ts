import type { DeferredTaskStatus } from '../../connections/connections.error.js';
import type { ToolResult } from '../../connections/tools.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Artifact, Part } from '../../agent/agent-model.port.js';
import type { TaskStatus } from '../task.entity.js';
import { joinFragments, joinParagraphs, type TextFragment } from './text-fragment.js';

/* What whoever handed a task on is told of it. */

export function toDelegateStatus(agent: string, { state, message, metadata }: TaskStatus): DeferredTaskStatus {
  const text = message?.parts.map((part) => part.text).join('\n');
  return {
    agent,
    state: state === 'input-required' ? 'input-required' : 'working',
    ...(text ? { message: text } : {}),
    ...(metadata ? { metadata: { ...metadata } as JsonObject } : {}),
  };
}

/** What came out is text that a model wrote: it counts as from outside where the task read such text. */
export function toDelegationResult(
  agent: string,
  status: TaskStatus,
  artifacts: Artifact[] | null,
  outside: boolean,
): ToolResult {
  if (status.state !== 'completed')
    return failedResult(`"${agent}" ended ${status.state}${failureDetail(status)}.`, outside);
  const content = (artifacts ?? []).map(({ parts }) => joinFragments(parts.map(toTextPart)));
  const text = joinParagraphs(content) || `"${agent}" has completed the task without a word.`;
  return { content: [{ type: 'text', text }], isError: false, outside };
}

/** `reason`: the same in a sentence of ours; without it the text is one. */
export const failedResult = (text: string, outside = false, reason = text): ToolResult => ({
  content: [{ type: 'text', text }],
  reason,
  isError: true,
  outside,
});

const failureDetail = ({ error }: TaskStatus) => (error ? ` (${error.code}): ${error.detail.replace(/\.$/, '')}` : '');

function toTextPart(part: Part): TextFragment {
  if ('text' in part) return { isText: true, text: part.text };
  if ('data' in part) return { isText: false, text: JSON.stringify(part.data) };
  const file = 'url' in part ? part.url : `[file ${part.filename ?? part.mediaType ?? 'without a name'}]`;
  return { isText: false, text: file };
}
