import type { Turn } from './agent-model.service.js';

/**
 * What models and other systems write may hold NUL and halves of surrogate pairs, which Postgres refuses to look into. Only
 * what is shown is mended; arguments go on as they are, and the gate refuses such.
 */
export const storable = (turn: Turn): Turn => ({
  ...turn,
  ...(turn.text === undefined ? {} : { text: mended(turn.text) }),
  ...(turn.progress ? { progress: mended(turn.progress) } : {}),
  ...(turn.end ? { end: mended(turn.end) } : {}),
});

function mended<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD') as T;
  if (Array.isArray(value)) return value.map(mended) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [mended(key), mended(member as unknown)]),
  ) as T;
}
