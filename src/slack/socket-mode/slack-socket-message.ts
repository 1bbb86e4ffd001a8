import { z } from 'zod';

const id = z.string().min(1).max(200);

const hello = z.object({ type: z.literal('hello'), connection_info: z.object({ app_id: id }) });
const disconnect = z.object({ type: z.literal('disconnect'), reason: z.string().optional() });
const envelope = z.object({
  type: z.string().max(100),
  envelope_id: id,
  accepts_response_payload: z.boolean().optional(),
  payload: z.unknown(),
});
const message = z.union([hello, disconnect, envelope]);

type SlackSocketMessage = z.infer<typeof message>;
/** A payload that has to be acknowledged. */
export type SlackEnvelope = z.infer<typeof envelope>;

export const isHello = (one: SlackSocketMessage): one is z.infer<typeof hello> => 'connection_info' in one;
export const isEnvelope = (one: SlackSocketMessage): one is SlackEnvelope => 'envelope_id' in one;

/** Null: not a message of socket mode. */
export function parseSocketMessage(text: string): SlackSocketMessage | null {
  try {
    return message.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
