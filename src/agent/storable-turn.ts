import type { Turn } from './agent-model.port.js';

/**
 * Output of models and other systems may contain NUL and lone surrogates, which Postgres rejects. Repairs displayed text
 * only. Arguments stay unchanged, and the gate denies invalid ones.
 */
export const toStorableTurn = (turn: Turn): Turn => ({
  ...turn,
  ...(turn.text === undefined ? {} : { text: toStorableValue(turn.text) }),
  ...(turn.progress ? { progress: toStorableValue(turn.progress) } : {}),
  ...(turn.end ? { end: toStorableValue(turn.end) } : {}),
});

function toStorableValue<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD') as T;
  if (Array.isArray(value)) return value.map(toStorableValue) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [toStorableValue(key), toStorableValue(member as unknown)]),
  ) as T;
}
