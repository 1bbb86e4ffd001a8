import { isCallable, type OfferedTool } from '../connections/tools.service.js';

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

type Verdict = 'allow' | 'approval' | 'deny';
/** What is known of an offer. */
interface Known {
  /** By what it was judged on: a mark for each tool. */
  marks: Map<string, string>;
  lists: Map<string, Listed>;
}

const markOf = { allow: '+', approval: '?', deny: '-' } as const;
const verdictOf: Record<string, Verdict> = { '+': 'allow', '?': 'approval', '-': 'deny' };
/** Callers of one offer. */
const mostCallers = 1000;
/** Lists of one offer: as many as there are kinds of callers, which are few. */
const mostLists = 100;
const known = new WeakMap<readonly OfferedTool[], Known>();

export const nothing: Listed = { tools: [], open: [], operations: [] };

/**
 * `basis`: all that the judgement of a tool depends on; where it and the offer are what they were, so is the list. Those for
 * whom all verdicts are the same share the arrays, so that what is made of an array (a listing on the wire) need not be made
 * again.
 */
export function listedTo(
  offered: readonly OfferedTool[],
  basis: readonly unknown[],
  judge: (tool: OfferedTool) => Verdict,
): Listed {
  const { marks, lists } = known.get(offered) ?? { marks: new Map(), lists: new Map() };
  known.set(offered, { marks, lists });
  const verdicts = kept(marks, mostCallers, JSON.stringify(basis), () =>
    // nobody has read the definition of what is held back
    offered.map((tool) => markOf[tool.heldBack ? 'deny' : judge(tool)]).join(''),
  );
  return kept(lists, mostLists, verdicts, () => sort(offered, verdicts));
}

/** The least recently used goes first. */
function kept<T>(values: Map<string, T>, most: number, key: string, make: () => T): T {
  const value = values.get(key) ?? make();
  values.delete(key);
  values.set(key, value);
  if (values.size > most) values.delete(values.keys().next().value!);
  return value;
}

function sort(offered: readonly OfferedTool[], marks: string): Listed {
  const all = offered.flatMap((tool, index) => {
    const verdict = verdictOf[marks[index]];
    return verdict === 'deny' ? [] : [{ ...tool, verdict }];
  });
  const tools = all.filter(isCallable);
  return {
    tools,
    open: tools.filter(({ paused }) => !paused),
    operations: all.filter((tool) => !isCallable(tool) && !tool.paused),
  };
}
