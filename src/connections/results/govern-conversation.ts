import type { JsonValue } from '../../platform/json/strict-json.js';
import type { Conversation } from '../conversation.port.js';
import type { OfferedTool } from '../offered-tool.js';
import { isSearched, type ResultRules } from '../result-rules.js';
import { redactResult } from './redact-result.js';

/** Longer messages are left out: they are sent in order, so none can wait for a worker process. */
const maxMessageLength = 64 * 1024;
const leftOut = '[left out]';

/**
 * Applies the rules of a tool to the progress and the log messages of a call. Questions reach a person as they are:
 * their links can contain tokens that the person needs.
 */
export function governConversation(
  { resultRules: rules }: OfferedTool,
  conversation: Conversation | undefined,
): Conversation | undefined {
  if (!conversation || !rules || !isSearched(rules)) return conversation;
  const { capabilities } = conversation;
  return {
    capabilities,
    ask: (requests, signal) => conversation.ask(requests, signal),
    progress: ({ message, ...params }) =>
      conversation.progress(message === undefined ? params : { ...params, message: String(searched(rules, message)) }),
    log: ({ data, ...params }) => conversation.log({ ...params, data: searched(rules, data) }),
  };
}

function searched(rules: ResultRules, value: JsonValue): JsonValue {
  if (JSON.stringify(value).length > maxMessageLength) return leftOut;
  const result = { content: [], structured: value, isError: false, outside: true };
  try {
    const { structured = leftOut } = redactResult({ rules: { ...rules, size: 'ignore' }, outputSchema: null, result });
    return structured;
  } catch {
    return leftOut;
  }
}
