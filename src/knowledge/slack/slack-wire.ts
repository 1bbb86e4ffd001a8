import { z } from 'zod';

/* What the connector reads of Slack's objects. Where a missing field could open something, its absence closes it. */

const flag = z.boolean().optional().catch(undefined);
const text = z.string().optional().catch(undefined);
const timestamp = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

export const slackUser = z.object({
  id: z.string(),
  team_id: text,
  name: text,
  real_name: text,
  deleted: flag,
  is_bot: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  is_stranger: flag,
  is_invited_user: flag,
  is_email_confirmed: flag,
  profile: z.object({ email: text, display_name: text, real_name: text }).optional().catch(undefined),
  enterprise_user: z
    .object({ enterprise_id: text, teams: z.array(z.string()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type SlackUser = z.infer<typeof slackUser>;

export const slackChannel = z.object({
  id: z.string(),
  name: z.string().catch(''),
  is_private: z.boolean().catch(true),
  is_member: z.boolean().catch(false),
  is_archived: z.boolean().catch(false),
  is_mpim: flag,
  is_im: flag,
  is_ext_shared: flag,
  is_org_shared: flag,
  num_members: z.number().optional().catch(undefined),
});
export type SlackChannel = z.infer<typeof slackChannel>;

export const slackMessage = z.object({
  ts: timestamp,
  thread_ts: timestamp.optional(),
  subtype: text,
  user: text,
  bot_id: text,
  username: text,
  bot_profile: z.object({ name: text }).optional().catch(undefined),
  text: z.string().catch(''),
  reply_count: z.number().int().catch(0),
  latest_reply: timestamp.optional(),
  edited: z.object({ ts: timestamp }).optional().catch(undefined),
  blocks: z.array(z.unknown()).optional().catch(undefined),
  attachments: z.array(z.unknown()).optional().catch(undefined),
  files: z
    .array(z.object({ name: text, title: text }))
    .optional()
    .catch(undefined),
  metadata: z
    .object({ event_type: text, event_payload: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type SlackSourceMessage = z.infer<typeof slackMessage>;

const page = { response_metadata: z.object({ next_cursor: text }).optional().catch(undefined) };
export const slackUsersPage = z.object({ ...page, members: z.array(slackUser) });
export const slackChannelsPage = z.object({ ...page, channels: z.array(slackChannel) });
export const slackMembersPage = z.object({ ...page, members: z.array(z.string()) });
export const slackMessagesPage = z.object({
  ...page,
  messages: z.array(slackMessage),
  has_more: z.boolean().catch(false),
});
export const slackUserAnswer = z.object({ user: slackUser });
export const slackChannelAnswer = z.object({ channel: slackChannel });
export const slackPosted = z.object({ channel: z.string(), ts: timestamp });
export const slackIdentityAnswer = z.object({
  url: z.string(),
  team: z.string().catch(''),
  team_id: z.string(),
  user: z.string().catch(''),
  user_id: z.string(),
  bot_id: text,
  enterprise_id: text,
  is_enterprise_install: flag,
});

/** Seconds since 1970. */
export const secondsOf = (ts: string): number => Number(ts);
