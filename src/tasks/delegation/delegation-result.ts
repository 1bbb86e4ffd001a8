import type { DeferredTaskStatus } from '../../connections/connections.error.js';
import type { ToolResult } from '../../connections/tools.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Artifact, Part } from '../../agent/agent-model.port.js';
import type { TaskStatus } from '../task.entity.js';
import { joinFragments, joinParagraphs, type TextFragment } from './text-fragment.js';

/* The status and the result of a delegated task, as its parent receives them. */

export function toDelegateStatus(agent: string, { state, message, metadata }: TaskStatus): DeferredTaskStatus {
  const text = message?.parts.map((part) => part.text).join('\n');
  return {
    agent,
    state: state === 'input-required' ? 'input-required' : 'working',
    ...(text ? { message: text } : {}),
    ...(metadata ? { metadata: { ...metadata } as JsonObject } : {}),
  };
}

/** The result is text from a model: it counts as external if the task read external text. */
export function toDelegationResult(
  agent: string,
  status: TaskStatus,
  artifacts: Artifact[] | null,
  outside: boolean,
): ToolResult {
  if (status.state !== 'completed')
    return failedResult(`"${agent}" ended ${status.state}${failureDetail(status)}.`, outside);
  const content = (artifacts ?? []).map(({ parts }) => joinFragments(parts.map(toTextPart)));
  const text = joinParagraphs(content) || `"${agent}" completed the task without any output.`;
  return { content: [{ type: 'text', text }], isError: false, outside };
}

/** `reason`: the failure with external text quoted. Leave it out if `text` has none. */
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
