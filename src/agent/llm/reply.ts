import type { streamText, ToolSet } from 'ai';
import type { Usage } from '../agent-model.service.js';
import { TimedOut } from './trouble.js';
import type { Watch } from './watch.js';

/** What a model streamed in one turn. */
export interface Reply {
  text: string;
  calls: { tool: string; arguments: string }[];
  isCutOff: boolean;
  isDeclined: boolean;
  usage?: Usage;
}

type StreamPart = ReturnType<typeof streamText<ToolSet>>['fullStream'] extends AsyncIterable<infer Part> ? Part : never;

/** The stream to its end. The text of arguments is kept as the model wrote it: the gate parses it, nobody before. */
export async function read(stream: AsyncIterable<StreamPart>, watch: Watch): Promise<Reply> {
  const reply: Reply = { text: '', calls: [], isCutOff: false, isDeclined: false };
  const sources = new Map<string, string>();
  for await (const part of stream) {
    if (part.type !== 'start' && part.type !== 'start-step') watch.heard();
    switch (part.type) {
      case 'text-delta':
        reply.text += part.text;
        break;
      case 'tool-input-delta':
        sources.set(part.id, (sources.get(part.id) ?? '') + part.delta);
        break;
      case 'tool-call':
        reply.calls.push({
          tool: asName(part.toolName),
          arguments: sources.get(part.toolCallId) || JSON.stringify(part.input),
        });
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw new TimedOut(part.reason);
      case 'finish':
        reply.isCutOff = part.finishReason === 'length';
        reply.isDeclined = part.finishReason === 'content-filter';
        reply.usage = usageOf(part.totalUsage);
        break;
    }
  }
  return reply;
}

/** A name that no tool can have is made one that none has, so that it can be refused and recorded like any other. */
const asName = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';

function usageOf({
  inputTokens,
  outputTokens,
}: {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}): Usage | undefined {
  return inputTokens === undefined && outputTokens === undefined
    ? undefined
    : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}
