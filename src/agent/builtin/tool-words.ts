import type { ListedTool } from '../agent-model.port.js';
import { meanings, singular } from './verbs.js';

/** What a tool's name says in words: what it does, and to what. */
export interface ToolWords {
  verbs: ReadonlySet<string>;
  /** One of these has to be named. */
  objects: ReadonlySet<string>;
  /** These may be named besides. */
  vocabulary: ReadonlySet<string>;
}

/** `tickets__comment` makes a comment; `tickets__close` makes no close. */
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
