import type { AgentModel, Part, Turn, TurnInput } from '../agent-model.port.js';
import { answeredCalls, nextRef } from '../conversation.js';
import { readProgress } from './scenario-progress.js';
import { findKitScenario, findDefaultKitScenario } from './kits.js';
import { fails, type SandboxScenario, textOf } from './scenario.js';
import { SandboxLimitError } from './limits.js';
import { converses, echoes, namedScenarios } from './named-scenarios.js';
import { findScriptedScenario } from './scripted-scenario.js';

/** What becomes of a message that asks for no life: it is given back, or the agent works a moment and asks for more. */
export const defaultBehaviors = ['complete', 'ask'] as const;
export type DefaultBehavior = (typeof defaultBehaviors)[number];

const conversePauseMs = 1000;

/** Plays the life of a task that the message asks for. It reaches nothing but, where it is asked to, a tool through the gate. */
export class SandboxModel implements AgentModel {
  readonly id = 'sandbox';

  constructor(private readonly defaultBehavior: DefaultBehavior) {}

  async next({ transcript, tools }: TurnInput, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    const { message, step, answer } = readProgress(transcript, (reply) => findScenario(reply) !== null);
    const scenario = findScenario(message) ?? (this.defaultBehavior === 'ask' ? converses(conversePauseMs) : echoes);
    const calls = answeredCalls(transcript);
    return scenario({
      step,
      requestParts: message.parts,
      replyParts: answer,
      calls,
      ref: nextRef(transcript, 0),
      tools,
    });
  }
}

interface ScenarioRequest {
  parts: readonly Part[];
  messageId?: string;
}

/** Null: it asks for none. One that cannot be played fails, and says why. */
function findScenario(message: ScenarioRequest): SandboxScenario | null {
  try {
    return selectScenario(message);
  } catch (error) {
    if (error instanceof SandboxLimitError) return fails(error.message);
    throw error;
  }
}

function selectScenario({ parts, messageId = '' }: ScenarioRequest): SandboxScenario | null {
  const words = textOf(parts.slice(0, 1));
  return (
    findKitScenario(messageId) ??
    findScriptedScenario(parts) ??
    findKitScenario(words) ??
    findNamedScenario(words) ??
    findDefaultKitScenario(messageId)
  );
}

/** Small letters only: "Stream this, please" is no name. */
function findNamedScenario(words: string): SandboxScenario | null {
  const [, word, rest] = /^([a-z]+)(?:\s+(.*))?$/s.exec(words) ?? [];
  return word && Object.hasOwn(namedScenarios, word) ? namedScenarios[word]((rest ?? '').trim()) : null;
}
