import { z } from 'zod';

const id = z.string().min(1).max(100);
const user = z.object({ id, team_id: id.optional() });
const team = z.object({ id });

/** A click on a button of a message. */
const buttonClick = z.object({
  type: z.literal('block_actions'),
  team,
  user,
  trigger_id: z.string().max(300),
  container: z.object({ type: z.literal('message'), channel_id: id, message_ts: id }),
  message: z.object({ blocks: z.unknown().optional(), attachments: z.unknown().optional() }).optional(),
  actions: z.tuple([z.object({ action_id: id, value: z.string().max(200) })]),
});
/** The submitted reason of a denial. */
const submittedView = z.object({
  type: z.literal('view_submission'),
  team,
  user,
  view: z.object({
    callback_id: id,
    private_metadata: z.string().max(1000),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))) }),
  }),
});
const payload = z.discriminatedUnion('type', [buttonClick, submittedView]);

export type SlackPayload = z.infer<typeof payload>;
export type ButtonClick = z.infer<typeof buttonClick>;
export type SubmittedView = z.infer<typeof submittedView>;

/** Null: not a payload of our messages. */
export function parseSlackPayload(body: Buffer): SlackPayload | null {
  try {
    return payload.parse(JSON.parse(new URLSearchParams(body.toString()).get('payload') ?? ''));
  } catch {
    return null;
  }
}
