import { setTimeout as sleep } from 'node:timers/promises';
import { jsonSchema, type LanguageModel, streamText, tool, type ToolSet } from 'ai';
import { z } from 'zod';
import type { AgentModel, ModelToolCall, ListedTool, Turn, TurnEnd, TurnInput } from '../agent-model.port.js';
import { answeredCalls, nextRef } from '../conversation.js';
import { concludeTask } from './conclusion.js';
import { Fence } from './fence.js';
import { askTool, describeTool, buildInstructions, buildMessages } from './prompt.js';
import { promptText, type PromptText } from './prompt-text.js';
import { readModelReply, type ModelReply } from './reply.js';
import { explainModelError, retryAfter, UnusableReply } from './model-errors.js';
import { type ModelTimeouts, ReplyWatchdog } from './reply-watchdog.js';

/** Runs turns of a language model of a vendor or of the organization. The model sees tools but cannot run them. */
export class LlmModel implements AgentModel {
  readonly id = 'llm';

  constructor(
    private readonly model: LanguageModel,
    private readonly timeouts: ModelTimeouts,
    /** Receives every error of the vendor, including the original message. */
    private readonly onError: (error: unknown) => void,
  ) {}

  async next({ transcript, tools }: TurnInput, signal: AbortSignal): Promise<Turn> {
    const offered = await tools();
    const fence = new Fence();
    const prompt = {
      instructions: buildInstructions(fence),
      messages: buildMessages(transcript, fence),
      tools: buildToolSet(offered, fence),
    };
    const reply = await this.requestReply(prompt, signal);
    if ('end' in reply) return { calls: [], end: reply.end };
    const { usage } = reply;
    return { ...this.toTurn(reply, transcript, offered), ...(usage ? { usage } : {}) };
  }

  /** Retries transient errors. That is safe because a turn has no side effects. */
  private async requestReply(prompt: Prompt, signal: AbortSignal): Promise<ModelReply | { end: TurnEnd }> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.stream(prompt, signal);
      } catch (error) {
        signal.throwIfAborted();
        const waitMs = retryAfter(error, attempt);
        if (waitMs === null) return { end: this.unavailable(error) };
        this.onError(error);
        await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  private async stream(prompt: Prompt, signal: AbortSignal): Promise<ModelReply> {
    using watch = new ReplyWatchdog(this.timeouts, signal);
    const { fullStream } = streamText({
      ...prompt,
      model: this.model,
      maxRetries: 0,
      abortSignal: watch.signal,
      onError: () => undefined, // the stream delivers the error; the default handler would print it
    });
    return await readModelReply(fullStream, watch);
  }

  private toTurn(reply: ModelReply, transcript: Transcript, tools: readonly ListedTool[]): Turn {
    const text = reply.text.trim();
    const toolCalls = reply.calls.filter((call) => call.tool !== askTool);
    if (toolCalls.length && !reply.isDeclined) {
      const calls = toolCalls.map((call, position): ModelToolCall => ({ ref: nextRef(transcript, position), ...call }));
      return { ...(text ? { text } : {}), calls };
    }
    const unusable = findUnusableReason(reply);
    if (unusable) return { calls: [], end: this.unavailable(new UnusableReply(unusable)) };
    const question = reply.calls.map((call) => parseQuestion(call.arguments)).find((end) => end !== null);
    if (question) return { calls: [], end: question };
    if (reply.calls.length) return { calls: [], end: { state: 'input-required', question: text } };
    return { text, calls: [], end: concludeTask(text, answeredCalls(transcript), tools) };
  }

  private unavailable(error: unknown): TurnEnd {
    this.onError(error);
    return { state: 'failed', code: 'model-unavailable', detail: explainModelError(error) };
  }
}

type Transcript = TurnInput['transcript'];

interface Prompt {
  instructions: PromptText;
  messages: ReturnType<typeof buildMessages>;
  tools: ToolSet;
}

function buildToolSet(tools: readonly ListedTool[], fence: Fence): ToolSet {
  const offered = tools.map((one): [string, ToolSet[string]] => {
    const { description, inputSchema } = describeTool(one, fence);
    return [one.name, tool({ description, inputSchema: jsonSchema(inputSchema) })];
  });
  const ask = tool({
    description: promptText`Ask the caller for information that is missing, and wait for the answer.`,
    inputSchema: askInput,
  });
  return { ...Object.fromEntries(offered), [askTool]: ask };
}

const askInput = z.object({
  question: z.string().min(1),
  missing: z.array(z.string()).optional().describe('Names of what is missing'),
});

/** Why a task cannot continue with this reply. Null: it can. */
function findUnusableReason({ text, calls, isDeclined, isCutOff }: ModelReply): string | null {
  if (isDeclined) return 'The language model declined to answer';
  const asks = calls.some((call) => parseQuestion(call.arguments) !== null);
  if (asks) return null;
  if (isCutOff) return 'The answer of the language model reached its length limit';
  return text.trim() ? null : 'The language model returned an empty answer';
}

function parseQuestion(source: string): TurnEnd | null {
  const given = askInput.safeParse(jsonOrNull(source));
  if (!given.success) return null;
  const { question, missing } = given.data;
  return { state: 'input-required', question, ...(missing?.length ? { missing } : {}) };
}

function jsonOrNull(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return null;
  }
}
