import { setTimeout as sleep } from 'node:timers/promises';
import { jsonSchema, type LanguageModel, streamText, tool, type ToolSet } from 'ai';
import { z } from 'zod';
import type { AgentModel, CallRequest, ListedTool, Turn, TurnEnd, TurnInput, Usage } from '../agent-model.service.js';
import { type AnsweredCall, answeredCalls, isOfSameTurn, nextRef } from '../conversation.js';
import { citationsPart, citables } from '../passages.js';
import { failedEnd, isDeed, receiptPart } from '../receipt.js';
import { cited } from './citations.js';
import { Fence } from './fence.js';
import { askTool, instructions, messages } from './prompt.js';
import { explain, retryAfter, TimedOut, Unusable } from './trouble.js';
import { type Patience, Watch } from './watch.js';

type Transcript = TurnInput['transcript'];

/** What a model streamed in one turn. */
interface Reply {
  text: string;
  calls: { tool: string; arguments: string }[];
  isCutOff: boolean;
  isDeclined: boolean;
  usage?: Usage;
}

/** A language model of a vendor or of the organization itself, one turn at a time; it sees tools and never runs one. */
export class LlmModel implements AgentModel {
  readonly id = 'llm';

  constructor(
    private readonly model: LanguageModel,
    private readonly patience: Patience,
    /** Told of every trouble with the vendor's own words. */
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  async next(input: TurnInput, signal: AbortSignal): Promise<Turn> {
    const tools = await input.tools();
    let usage: Usage | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        const reply = await this.reply(input.transcript, tools, signal);
        usage = reply.usage;
        return { ...turnOf(reply, input.transcript, tools), ...(usage ? { usage } : {}) };
      } catch (error) {
        signal.throwIfAborted();
        this.onTrouble(error);
        const waitMs = retryAfter(error, attempt);
        if (waitMs === null) return { calls: [], end: unavailable(error), ...(usage ? { usage } : {}) };
        await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  private async reply(transcript: Transcript, tools: readonly ListedTool[], signal: AbortSignal): Promise<Reply> {
    const fence = new Fence();
    using watch = new Watch(this.patience, signal);
    const { fullStream } = streamText({
      model: this.model,
      instructions: instructions(fence),
      messages: messages(transcript, fence),
      tools: toolSet(tools),
      maxRetries: 0,
      abortSignal: watch.signal,
      onError: () => undefined, // the error comes by the stream; the default prints it
    });
    return await read(fullStream, watch);
  }
}

const unavailable = (error: unknown): TurnEnd => ({
  state: 'failed',
  code: 'model-unavailable',
  detail: explain(error),
});

function toolSet(tools: readonly ListedTool[]): ToolSet {
  const offered = tools.map(({ name, description, inputSchema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema) }),
  ]);
  return Object.fromEntries([
    ...offered,
    [
      askTool,
      tool({
        description: 'Ask the caller for information that is missing, and wait for the answer.',
        inputSchema: askInput,
      }),
    ],
  ]) as ToolSet;
}

const askInput = z.object({
  question: z.string().min(1),
  missing: z.array(z.string()).optional().describe('Names of what is missing'),
});

type StreamPart = ReturnType<typeof streamText<ToolSet>>['fullStream'] extends AsyncIterable<infer Part> ? Part : never;

/** The stream to its end. The text of arguments is kept as the model wrote it: the gate parses it, nobody before. */
async function read(stream: AsyncIterable<StreamPart>, watch: Watch): Promise<Reply> {
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
          arguments: sources.get(part.toolCallId) ?? JSON.stringify(part.input),
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

function turnOf(reply: Reply, transcript: Transcript, tools: readonly ListedTool[]): Turn {
  const text = reply.text.trim();
  if (reply.isDeclined) throw new Unusable('The language model declines to answer');
  const deeds = reply.calls.filter((call) => call.tool !== askTool);
  if (deeds.length) {
    const calls = deeds.map((call, position): CallRequest => ({ ref: nextRef(transcript, position), ...call }));
    return { ...(text ? { text } : {}), calls };
  }
  const asked = reply.calls.find((call) => call.tool === askTool);
  if (asked) return { calls: [], end: question(asked.arguments, text) };
  if (reply.isCutOff) throw new Unusable('The language model broke its answer off at its length limit');
  if (!text) throw new Unusable('The language model answered nothing');
  return { text, calls: [], end: conclusion(text, answeredCalls(transcript), tools) };
}

function question(source: string, text: string): TurnEnd {
  const read = askInput.safeParse(jsonOrNull(source));
  if (!read.success) {
    if (!text) throw new Unusable('The language model asked for something without saying what');
    return { state: 'input-required', question: text };
  }
  const { question: asked, missing } = read.data;
  return { state: 'input-required', question: asked, ...(missing?.length ? { missing } : {}) };
}

function jsonOrNull(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return null;
  }
}

/**
 * Whether the request was met is decided by what happened, not by what the model says of it: an unsettled write never counts
 * as met, and neither does a task whose last deeds did not all succeed.
 */
function conclusion(text: string, calls: readonly AnsweredCall[], tools: readonly ListedTool[]): TurnEnd {
  const reads = new Set(tools.filter(({ effect }) => effect === 'read').map(({ name }) => name));
  const deeds = calls.filter((call) => isDeed(call));
  const writes = deeds.filter(({ tool: name }) => !reads.has(name));
  const last = writes.at(-1);
  const decisive = writes.filter((call) => call.outcome.state === 'unsettled' || isOfSameTurn(call, last));
  const failed = failedEnd(decisive);
  if (failed?.state === 'failed') return { ...failed, detail: `${failed.detail} ${text}`.trim() };
  const answer = cited(text, citables(calls));
  const parts = [
    { text: answer.text },
    ...(answer.quotes.length ? [citationsPart(answer.quotes)] : []),
    ...(deeds.length ? [receiptPart(deeds)] : []),
  ];
  return { state: 'completed', artifacts: [{ artifactId: '1', name: 'answer', parts }] };
}
