import type { ListedTool } from '../agent-model.service.js';
import { failedEnd, receiptPart } from '../receipt.js';
import { artifactOf, completes, fails, inOrder, type Life, type Scene, type Step } from './life.js';

/** The sandbox's own tool, which does nothing; its policy decides whether a person has to approve it. */
export const ownTool = 'act';

const call = /^([A-Za-z0-9_-]+__[A-Za-z0-9_-]+)\s*:?\s*(\{.*\})?$/s;

/** Asks for one call, as every model does: the gate decides, a person approves, and what came of it is the end. */
export const calls = (tool: string, args: string): Step[] => [
  ({ ref }) => ({ calls: [{ ref, tool, arguments: args }] }),
  settled,
];

/** A call that did not succeed ends the life. */
export const unlessFailed =
  (step: Step): Step =>
  (scene) => {
    const failed = failedEnd(scene.calls);
    return failed ? { calls: [], end: failed } : step(scene);
  };

const settled = unlessFailed((scene) => completes([artifactOf([receiptPart(scene.calls)], 'receipt')])(scene));

export function approves(words: string): Life {
  const [, tool, args = '{}'] = call.exec(words) ?? [];
  if (tool) return inOrder(...calls(tool, args));
  return inOrder((scene) => own(scene, words), settled);
}

async function own(scene: Scene, note: string) {
  const tool = choice(await scene.tools());
  if (!tool)
    return fails(
      `The policies allow no tool "…__${ownTool}". Add the sandbox's connection to the configuration, and a policy that permits its tool with an approval.`,
    )(scene);
  return calls(tool.name, JSON.stringify(note ? { note } : {}))[0](scene);
}

function choice(tools: readonly ListedTool[]): ListedTool | undefined {
  const own = tools.filter(({ name }) => name.endsWith(`__${ownTool}`));
  return own.find(({ verdict }) => verdict === 'approval') ?? own[0];
}
