import type { AgentModel, Part, Turn, TurnInput } from '../agent-model.service.js';
import { answeredCalls, nextRef } from '../conversation.js';
import { actOf } from './act.js';
import { lifeOfKit, lifeOfUnknown } from './kits.js';
import { fails, type Life, textOf } from './life.js';
import { OutOfBounds } from './limits.js';
import { converses, echoes, lives } from './lives.js';
import { playOf } from './play.js';

/** What becomes of a message that asks for no life: it is given back, or the agent works a moment and asks for more. */
export const otherwise = ['complete', 'ask'] as const;
export type Otherwise = (typeof otherwise)[number];

const momentMs = 1000;

/** Plays the life of a task that the message asks for. It reaches nothing but, where it is asked to, a tool through the gate. */
export class SandboxModel implements AgentModel {
  readonly id = 'sandbox';

  constructor(private readonly otherwise: Otherwise) {}

  async next({ transcript, tools }: TurnInput, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    const { message, step, answer } = actOf(transcript, (reply) => lifeOf(reply) !== null);
    const life = lifeOf(message) ?? (this.otherwise === 'ask' ? converses(momentMs) : echoes);
    const calls = answeredCalls(transcript);
    return life({ step, asked: message.parts, answer, calls, ref: nextRef(transcript, 0), tools });
  }
}

interface Asking {
  parts: readonly Part[];
  messageId?: string;
}

/** Null: it asks for none. One that cannot be played fails, and says why. */
function lifeOf(message: Asking): Life | null {
  try {
    return named(message);
  } catch (error) {
    if (error instanceof OutOfBounds) return fails(error.message);
    throw error;
  }
}

function named({ parts, messageId = '' }: Asking): Life | null {
  const words = textOf(parts.slice(0, 1));
  return lifeOfKit(messageId) ?? playOf(parts) ?? lifeOfKit(words) ?? lifeOfWord(words) ?? lifeOfUnknown(messageId);
}

/** Small letters only: "Stream this, please" is no name. */
function lifeOfWord(words: string): Life | null {
  const [, word, rest] = /^([a-z]+)(?:\s+(.*))?$/s.exec(words) ?? [];
  return word && Object.hasOwn(lives, word) ? lives[word]((rest ?? '').trim()) : null;
}
