import { isUUID } from 'class-validator';

/** A numbered place in a stream or an exchange: the id of an event on the wire, and that of a request of ours to a client. */
export interface Place {
  id: string;
  number: number;
}

export const placeText = ({ id, number }: Place): string => `${id}.${number}`;

/** Null: it is none of ours. */
export function readPlace(text: unknown): Place | null {
  const [, id, number] = /^([0-9a-f-]{36})\.(\d{1,9})$/.exec(String(text)) ?? [];
  return id && isUUID(id) ? { id, number: Number(number) } : null;
}
