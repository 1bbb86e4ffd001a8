import type { OfferedTool } from '../connections/tools.service.js';

export interface ListedTool extends OfferedTool {
  /** What the policy could say at best; conditions on arguments are not looked at. */
  verdict: 'allow' | 'approval';
}

/** What of an offer is there for somebody. */
export interface Listed {
  /** With paused ones, for whoever can wait. */
  tools: ListedTool[];
  /** Without them. */
  open: ListedTool[];
  /** Resources, prompts and completions of upstream servers, paused ones left out. */
  operations: ListedTool[];
}

const marks = { allow: '+', approval: '?', deny: '-' };
/** Lists of one offer that are kept: as many as there are kinds of callers, which are few. */
const most = 100;
const known = new WeakMap<readonly OfferedTool[], Map<string, Listed>>();

export const nothing: Listed = { tools: [], open: [], operations: [] };

/**
 * Every tool is judged each time, as policies and callers change; those for whom all verdicts are the same share the
 * arrays, so that what is made of an array (a listing on the wire) need not be made again.
 */
export function listedTo(offered: readonly OfferedTool[], judge: (tool: OfferedTool) => keyof typeof marks): Listed {
  // nobody has read the definition of what is held back
  const verdicts = offered.map((tool) => (tool.heldBack ? 'deny' : judge(tool)));
  const key = verdicts.map((verdict) => marks[verdict]).join('');
  const lists = known.get(offered) ?? new Map<string, Listed>();
  known.set(offered, lists);
  const listed = lists.get(key) ?? sort(offered, verdicts);
  lists.delete(key);
  lists.set(key, listed);
  if (lists.size > most) lists.delete(lists.keys().next().value!);
  return listed;
}

function sort(offered: readonly OfferedTool[], verdicts: (keyof typeof marks)[]): Listed {
  const all = offered.flatMap((tool, index) => {
    const verdict = verdicts[index];
    return verdict === 'deny' ? [] : [{ ...tool, verdict }];
  });
  const tools = all.filter(({ operation }) => operation === 'tool');
  return {
    tools,
    open: tools.filter(({ paused }) => !paused),
    operations: all.filter(({ operation, paused }) => operation !== 'tool' && !paused),
  };
}
