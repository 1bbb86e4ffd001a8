import { isUUID } from 'class-validator';

/** A position in a stream or an exchange. On the wire it is an event id, or the id of our request to a client. */
export interface EventPosition {
  id: string;
  number: number;
}

export const formatEventId = ({ id, number }: EventPosition): string => `${id}.${number}`;

/** Null: not one of our ids. */
export function parseEventId(text: unknown): EventPosition | null {
  const [, id, number] = /^([0-9a-f-]{36})\.(\d{1,9})$/.exec(String(text)) ?? [];
  return id && isUUID(id) ? { id, number: Number(number) } : null;
}
