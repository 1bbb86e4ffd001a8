import { isUUID } from 'class-validator';

/** A numbered place in a stream or an exchange: the id of an event on the wire, and that of a request of ours to a client. */
export interface EventPosition {
  id: string;
  number: number;
}

export const formatEventId = ({ id, number }: EventPosition): string => `${id}.${number}`;

/** Null: it is none of ours. */
export function parseEventId(text: unknown): EventPosition | null {
  const [, id, number] = /^([0-9a-f-]{36})\.(\d{1,9})$/.exec(String(text)) ?? [];
  return id && isUUID(id) ? { id, number: Number(number) } : null;
}
