import type { SpendVendor } from '../vendor.js';
import type { CursorApi } from './cursor-api.js';
import { cycleTotal } from './cycle-total.js';
import { dailyUsage } from './daily-usage.js';
import { mcpUse } from './mcp-use.js';
import { teamMembers } from './team-members.js';
import { dayOfEvents } from './usage-events.js';

/** What is pulled from Cursor: https://cursor.com/docs/account/teams/admin-api and …/analytics-api. */
export const cursorVendor = (api: CursorApi): SpendVendor => ({
  daysBack: 30,
  members: (pull) => teamMembers(api, pull),
  usage: (pull, from, to) => dailyUsage(api, pull, from, to),
  charges: (pull, day) => dayOfEvents(api, pull, day),
  cycle: (pull) => cycleTotal(api, pull),
  mcpUse: (pull, from, to) => mcpUse(api, pull, from, to),
});
