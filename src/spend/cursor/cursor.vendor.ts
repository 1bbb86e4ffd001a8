import type { SpendVendor } from '../vendor.js';
import type { CursorApi } from './cursor-api.js';
import { billingCycleTotal } from './billing-cycle-total.js';
import { dailyUsage } from './daily-usage.js';
import { cursorMcpUsage } from './cursor-mcp-usage.js';
import { teamMembers } from './team-members.js';
import { chargesOfUtcDay } from './usage-events.js';

/** Syncs from Cursor: https://cursor.com/docs/account/teams/admin-api and …/analytics-api. */
export const cursorVendor = (api: CursorApi): SpendVendor => ({
  daysBack: 30,
  members: (sync) => teamMembers(api, sync),
  usage: (sync, from, to) => dailyUsage(api, sync, from, to),
  charges: (sync, day) => chargesOfUtcDay(api, sync, day),
  billingCycle: (sync) => billingCycleTotal(api, sync),
  mcpUsage: (sync, from, to) => cursorMcpUsage(api, sync, from, to),
});
