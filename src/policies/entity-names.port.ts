import { literalValue, splitStatements } from './policy-text.js';

/** Entities that the organization names; the ids of the others are the same everywhere. */
const namedTypes = ['Group', 'Agent', 'Member'] as const;
export type NamedEntityType = (typeof namedTypes)[number];
export interface NamedEntity {
  type: NamedEntityType;
  /** What stands in the quotes. */
  id: string;
}

/** All `Group::"…"`, `Agent::"…"` and `Member::"…"` of a policy text. */
export const namedEntitiesOf = (text: string): NamedEntity[] => literalsOf(text).map(({ type, id }) => ({ type, id }));

/** Replaces what stands in their quotes. Undefined: stays. Everything else of the text stays as it is. */
export function replaceNamedEntities(text: string, replace: (entity: NamedEntity) => string | undefined): string {
  let replaced = '';
  let at = 0;
  for (const { type, id, start, end } of literalsOf(text)) {
    const value = replace({ type, id });
    if (value === undefined) continue;
    replaced += text.slice(at, start) + quoted(value);
    at = end;
  }
  return replaced + text.slice(at);
}

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;

const literalsOf = (text: string) =>
  splitStatements(text).flatMap(({ tokens }) =>
    tokens.flatMap(({ text: name }, index) => {
      const type = namedTypes.find((one) => one === name);
      const [first, second, literal] = tokens.slice(index + 1, index + 4);
      const isEntity = first?.text === ':' && second?.text === ':' && literal?.kind === 'string';
      if (!type || !isEntity || tokens[index - 1]?.text === ':') return []; // ":" before it: a namespace
      return [{ type, id: literalValue(literal), start: literal.start, end: literal.end }];
    }),
  );
