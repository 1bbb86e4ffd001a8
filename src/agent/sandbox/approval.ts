import type { ListedTool } from '../agent-model.port.js';
import { failedEnd, receiptPart } from '../receipt.js';
import {
  toArtifact,
  completes,
  fails,
  inSequence,
  type SandboxScenario,
  type StepContext,
  type ScenarioStep,
} from './scenario.js';

/** The sandbox's own tool, which does nothing. The policy decides whether it needs an approval. */
export const ownTool = 'act';

const call = /^([A-Za-z0-9_-]+__[A-Za-z0-9_-]+)\s*:?\s*(\{.*\})?$/s;

/** Requests one call like any model: the gate decides, a person may approve, and the outcome ends the task. */
export const callSteps = (tool: string, args: string): ScenarioStep[] => [
  ({ ref }) => ({ calls: [{ ref, tool, arguments: args }] }),
  completeWithReceipt,
];

/** An unsuccessful call ends the scenario. */
export const unlessFailed =
  (step: ScenarioStep): ScenarioStep =>
  (scene) => {
    const failed = failedEnd(scene.calls);
    return failed ? { calls: [], end: failed } : step(scene);
  };

const completeWithReceipt = unlessFailed((scene) =>
  completes([toArtifact([receiptPart(scene.calls)], 'receipt')])(scene),
);

export function approves(words: string): SandboxScenario {
  const [, tool, args = '{}'] = call.exec(words) ?? [];
  if (tool) return inSequence(...callSteps(tool, args));
  return inSequence((scene) => callOwnTool(scene, words), completeWithReceipt);
}

async function callOwnTool(scene: StepContext, note: string) {
  const tool = selectOwnTool(await scene.tools());
  if (!tool)
    return fails(
      `No policy allows a tool "…__${ownTool}". Add the sandbox's connection to the configuration, and a policy that requires an approval for its tool.`,
    )(scene);
  return callSteps(tool.name, JSON.stringify(note ? { note } : {}))[0](scene);
}

function selectOwnTool(tools: readonly ListedTool[]): ListedTool | undefined {
  const own = tools.filter(({ name }) => name.endsWith(`__${ownTool}`));
  return own.find(({ verdict }) => verdict === 'approval') ?? own[0];
}
