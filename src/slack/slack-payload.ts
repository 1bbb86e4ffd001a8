import { z } from 'zod';

const id = z.string().min(1).max(100);
const user = z.object({ id, team_id: id.optional() });
const team = z.object({ id });

/** A click on a button of a message. */
const buttonClick = z.object({
  type: z.literal('block_actions'),
  api_app_id: id.optional(),
  team,
  user,
  trigger_id: z.string().max(300),
  container: z.object({ type: z.literal('message'), channel_id: id, message_ts: id }),
  message: z.object({ blocks: z.unknown().optional(), attachments: z.unknown().optional() }).optional(),
  actions: z.tuple([z.object({ action_id: id, value: z.string().max(200), action_ts: id.optional() })]),
});
/** The submitted reason of a denial. */
const submittedView = z.object({
  type: z.literal('view_submission'),
  api_app_id: id.optional(),
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
export const toSlackPayload = (value: unknown): SlackPayload | null => payload.safeParse(value).data ?? null;

/** The payload in the body of a signed request. */
export function parseSlackPayload(body: Buffer): SlackPayload | null {
  try {
    return toSlackPayload(JSON.parse(new URLSearchParams(body.toString()).get('payload') ?? ''));
  } catch {
    return null;
  }
}
