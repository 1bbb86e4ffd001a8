import { isCallable, type OfferedTool } from '../connections/tools.service.js';

export interface ListedTool extends OfferedTool {
  /** The most permissive verdict that is possible. Ignores conditions on arguments. */
  verdict: 'allow' | 'approval';
}

/** The offered tools that a caller can see. */
export interface ToolListing {
  /** Includes paused tools, for callers who can wait. */
  tools: ListedTool[];
  /** Without paused tools. */
  available: ListedTool[];
  /** Resources, prompts and completions of upstream servers, without paused ones. */
  operations: ListedTool[];
}

type Verdict = 'allow' | 'approval' | 'deny';
/** Cached results for one array of offered tools. */
interface ListingCache {
  /** One mark per tool, by the facts that decided them. */
  marks: Map<string, string>;
  lists: Map<string, ToolListing>;
}

const verdictMarks = { allow: '+', approval: '?', deny: '-' } as const;
const markVerdicts: Record<string, Verdict> = { '+': 'allow', '?': 'approval', '-': 'deny' };
/** Per array of offered tools. */
const maxCachedCallers = 1000;
/** Per array of offered tools. Few are needed: callers with equal verdicts share a listing. */
const maxCachedListings = 100;
const listingCaches = new WeakMap<readonly OfferedTool[], ListingCache>();

export const emptyListing: ToolListing = { tools: [], available: [], operations: [] };

/**
 * `basis`: all facts that the verdict on a tool depends on. The listing is cached by these facts and the offered tools.
 * Callers with equal verdicts share the arrays, so a listing serialized from one can be reused, too.
 */
export function buildListing(
  offered: readonly OfferedTool[],
  basis: readonly unknown[],
  verdictOf: (tool: OfferedTool) => Verdict,
): ToolListing {
  const { marks, lists } = listingCaches.get(offered) ?? { marks: new Map(), lists: new Map() };
  listingCaches.set(offered, { marks, lists });
  const verdicts = getOrCreate(marks, maxCachedCallers, JSON.stringify(basis), () =>
    // no administrator has read a definition that is pending review
    offered.map((tool) => verdictMarks[tool.isPendingReview ? 'deny' : verdictOf(tool)]).join(''),
  );
  return getOrCreate(lists, maxCachedListings, verdicts, () => partitionTools(offered, verdicts));
}

/** Evicts the least recently used entry. */
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
