import type { AgentModel, Part, Turn, TurnInput } from '../agent-model.port.js';
import { answeredCalls, nextRef } from '../conversation.js';
import { readProgress } from './scenario-progress.js';
import { findKitScenario, findDefaultKitScenario } from './kits.js';
import { fails, type SandboxScenario, textOf } from './scenario.js';
import { SandboxLimitError } from './limits.js';
import { converses, echoes, namedScenarios } from './named-scenarios.js';
import { findScriptedScenario } from './scripted-scenario.js';

/** Behavior for a message without a scenario: return the message, or work for a moment and ask for more. */
export const defaultBehaviors = ['complete', 'ask'] as const;
export type DefaultBehavior = (typeof defaultBehaviors)[number];

const conversePauseMs = 1000;

/** Plays the scenario that a message requests. Its only side effects are requested tool calls through the gate. */
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

/** Null: the message requests no scenario. An invalid request becomes a scenario that fails with the reason. */
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

/** Lowercase only, so that "Stream this, please" selects nothing. */
function findNamedScenario(words: string): SandboxScenario | null {
  const [, word, rest] = /^([a-z]+)(?:\s+(.*))?$/s.exec(words) ?? [];
  return word && Object.hasOwn(namedScenarios, word) ? namedScenarios[word]((rest ?? '').trim()) : null;
}
