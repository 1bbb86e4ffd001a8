import { isCallable, type OfferedTool } from '../connections/tools.service.js';

export interface ListedTool extends OfferedTool {
  /** What the policy could say at best; conditions on arguments are not looked at. */
  verdict: 'allow' | 'approval';
}

/** What of an offer is there for somebody. */
export interface ToolListing {
  /** With paused ones, for whoever can wait. */
  tools: ListedTool[];
  /** Without them. */
  available: ListedTool[];
  /** Resources, prompts and completions of upstream servers, paused ones left out. */
  operations: ListedTool[];
}

type Verdict = 'allow' | 'approval' | 'deny';
/** What is known of an offer. */
interface ListingCache {
  /** By what it was judged on: a mark for each tool. */
  marks: Map<string, string>;
  lists: Map<string, ToolListing>;
}

const verdictMarks = { allow: '+', approval: '?', deny: '-' } as const;
const markVerdicts: Record<string, Verdict> = { '+': 'allow', '?': 'approval', '-': 'deny' };
/** Callers of one offer. */
const maxCachedCallers = 1000;
/** Lists of one offer: as many as there are kinds of callers, which are few. */
const maxCachedListings = 100;
const listingCaches = new WeakMap<readonly OfferedTool[], ListingCache>();

export const emptyListing: ToolListing = { tools: [], available: [], operations: [] };

/**
 * `basis`: all that the judgement of a tool depends on; where it and the offer are what they were, so is the list. Those for
 * whom all verdicts are the same share the arrays, so that what is made of an array (a listing on the wire) need not be made
 * again.
 */
export function buildListing(
  offered: readonly OfferedTool[],
  basis: readonly unknown[],
  judge: (tool: OfferedTool) => Verdict,
): ToolListing {
  const { marks, lists } = listingCaches.get(offered) ?? { marks: new Map(), lists: new Map() };
  listingCaches.set(offered, { marks, lists });
  const verdicts = getOrCreate(marks, maxCachedCallers, JSON.stringify(basis), () =>
    // nobody has read the definition of what is held back
    offered.map((tool) => verdictMarks[tool.isPendingReview ? 'deny' : judge(tool)]).join(''),
  );
  return getOrCreate(lists, maxCachedListings, verdicts, () => partitionTools(offered, verdicts));
}

/** The least recently used goes first. */
function getOrCreate<T>(values: Map<string, T>, most: number, key: string, make: () => T): T {
  const value = values.get(key) ?? make();
  values.delete(key);
  values.set(key, value);
  if (values.size > most) values.delete(values.keys().next().value!);
  return value;
}

function partitionTools(offered: readonly OfferedTool[], marks: string): ToolListing {
  const all = offered.flatMap((tool, index) => {
    const verdict = markVerdicts[marks[index]];
    return verdict === 'deny' ? [] : [{ ...tool, verdict }];
  });
  const tools = all.filter(isCallable);
  return {
    tools,
    available: tools.filter(({ isPaused }) => !isPaused),
    operations: all.filter((tool) => !isCallable(tool) && !tool.isPaused),
  };
}
