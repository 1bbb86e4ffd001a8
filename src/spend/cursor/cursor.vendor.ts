import type { SpendVendor } from '../vendor.js';
import type { CursorApi } from './cursor-api.js';
import { billingCycleTotal } from './billing-cycle-total.js';
import { dailyUsage } from './daily-usage.js';
import { cursorMcpUsage } from './cursor-mcp-usage.js';
import { teamMembers } from './team-members.js';
import { chargesOfUtcDay } from './usage-events.js';

/** What is pulled from Cursor: https://cursor.com/docs/account/teams/admin-api and …/analytics-api. */
export const cursorVendor = (api: CursorApi): SpendVendor => ({
  daysBack: 30,
  members: (pull) => teamMembers(api, pull),
  usage: (pull, from, to) => dailyUsage(api, pull, from, to),
  charges: (pull, day) => chargesOfUtcDay(api, pull, day),
  billingCycle: (pull) => billingCycleTotal(api, pull),
  mcpUsage: (pull, from, to) => cursorMcpUsage(api, pull, from, to),
});
