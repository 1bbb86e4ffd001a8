import type { streamText, ToolSet } from 'ai';
import type { ModelTokenUsage } from '../agent-model.port.js';
import { ModelTimeout } from './model-errors.js';
import type { ReplyWatchdog } from './reply-watchdog.js';

/** The collected stream of one turn. */
export interface ModelReply {
  text: string;
  calls: { tool: string; arguments: string }[];
  isCutOff: boolean;
  isDeclined: boolean;
  usage?: ModelTokenUsage;
}

type StreamPart = ReturnType<typeof streamText<ToolSet>>['fullStream'] extends AsyncIterable<infer Part> ? Part : never;

/** Reads the stream to its end. Arguments remain the model's source text, because only the gate parses them. */
export async function readModelReply(
  stream: AsyncIterable<StreamPart>,
  replyWatchdog: ReplyWatchdog,
): Promise<ModelReply> {
  const reply: ModelReply = { text: '', calls: [], isCutOff: false, isDeclined: false };
  const sources = new Map<string, string>();
  for await (const part of stream) {
    if (part.type !== 'start' && part.type !== 'start-step') replyWatchdog.recordActivity();
    switch (part.type) {
      case 'text-delta':
        reply.text += part.text;
        break;
      case 'tool-input-delta':
        sources.set(part.id, (sources.get(part.id) ?? '') + part.delta);
        break;
      case 'tool-call':
        reply.calls.push({
          tool: toToolName(part.toolName),
          arguments: sources.get(part.toolCallId) || JSON.stringify(part.input),
        });
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw new ModelTimeout(part.reason);
      case 'finish':
        reply.isCutOff = part.finishReason === 'length';
        reply.isDeclined = part.finishReason === 'content-filter';
        reply.usage = usageOf(part.totalUsage);
        break;
    }
  }
  return reply;
}

/** Maps an invalid tool name to a valid name without a tool, so that the gate can deny and record the call as usual. */
const toToolName = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';

function usageOf({
  inputTokens,
  outputTokens,
}: {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}): ModelTokenUsage | undefined {
  return inputTokens === undefined && outputTokens === undefined
    ? undefined
    : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}
