import type { ListedTool } from '../agent-model.port.js';
import { meanings, singular } from './verbs.js';

/** The words in a tool's name: verbs and objects. */
export interface ToolWords {
  verbs: ReadonlySet<string>;
  /** An instruction must name one of these. */
  objects: ReadonlySet<string>;
  /** An instruction may also name these. */
  vocabulary: ReadonlySet<string>;
}

/** Verbs that are also nouns: `tickets__comment` creates a comment, but `tickets__close` creates no close. */
const verbAndNoun = new Set(['comment', 'reply', 'note', 'message', 'post']);

export function toolWords(tool: Pick<ListedTool, 'name' | 'title'>): ToolWords {
  const [slug, ...rest] = tool.name.split('__');
  const name = splitWords(rest.join('_'));
  const verb = name.find((word) => meanings(word).length > 0);
  const slugWords = splitWords(slug).map(singular);
  const own = name.filter((word) => word !== verb).map(singular);
  return {
    verbs: new Set(verb ? meanings(verb) : []),
    objects: new Set(own.length ? own : verb && verbAndNoun.has(verb) ? [verb] : slugWords),
    vocabulary: new Set([...own, ...slugWords, ...splitWords(tool.title).map(singular)]),
  };
}

export const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
