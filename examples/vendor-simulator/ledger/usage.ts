import type { Day } from './days.ts';
import { draw, pick, skewed } from './draw.ts';
import type { UsageEvent } from './events.ts';
import type { Person } from './people.ts';

/** The vendor's counts for one person on one day. */
export interface UsageDay {
  day: Day;
  person: Person;
  isActive: boolean;
  totalLinesAdded: number;
  totalLinesDeleted: number;
  acceptedLinesAdded: number;
  acceptedLinesDeleted: number;
  totalApplies: number;
  totalAccepts: number;
  totalRejects: number;
  totalTabsShown: number;
  totalTabsAccepted: number;
  composerRequests: number;
  chatRequests: number;
  agentRequests: number;
  cmdkUsages: number;
  subscriptionIncludedReqs: number;
  apiKeyReqs: number;
  usageBasedReqs: number;
  bugbotUsages: number;
  mostUsedModel: string | null;
  applyMostUsedExtension: string | null;
  tabMostUsedExtension: string | null;
  clientVersion: string | null;
}

const nothing = {
  isActive: false,
  totalLinesAdded: 0,
  totalLinesDeleted: 0,
  acceptedLinesAdded: 0,
  acceptedLinesDeleted: 0,
  totalApplies: 0,
  totalAccepts: 0,
  totalRejects: 0,
  totalTabsShown: 0,
  totalTabsAccepted: 0,
  composerRequests: 0,
  chatRequests: 0,
  agentRequests: 0,
  cmdkUsages: 0,
  subscriptionIncludedReqs: 0,
  apiKeyReqs: 0,
  usageBasedReqs: 0,
  bugbotUsages: 0,
  mostUsedModel: null,
  applyMostUsedExtension: null,
  tabMostUsedExtension: null,
  clientVersion: null,
};

const extensions = ['.ts', '.tsx', '.rs', '.py', '.cpp', '.md', '.yaml'];

export const idleDay = (day: Day, person: Person): UsageDay => ({ day, person, ...nothing });

/** The counts of an active day. Its numbers of requests match the events. */
export function busyDay(
  drawn: number,
  { day, person, version, events }: { day: Day; person: Person; version: string; events: Ways },
): UsageDay {
  const totalTabsShown = skewed(draw(drawn, 1), 600);
  const totalApplies = skewed(draw(drawn, 2), 90);
  const totalAccepts = portion(totalApplies, draw(drawn, 3));
  const totalLinesAdded = skewed(draw(drawn, 4), 2_500);
  const totalLinesDeleted = skewed(draw(drawn, 5), 1_200);
  const requests = events.included + events.charged + events.ownKey;
  const agentRequests = portion(requests, draw(drawn, 6));
  const chatRequests = portion(requests - agentRequests, draw(drawn, 7));
  return {
    day,
    person,
    isActive: true,
    totalLinesAdded,
    totalLinesDeleted,
    acceptedLinesAdded: portion(totalLinesAdded, draw(drawn, 8)),
    acceptedLinesDeleted: portion(totalLinesDeleted, draw(drawn, 9)),
    totalApplies,
    totalAccepts,
    totalRejects: totalApplies - totalAccepts,
    totalTabsShown,
    totalTabsAccepted: portion(totalTabsShown, draw(drawn, 10)),
    composerRequests: requests - agentRequests - chatRequests,
    chatRequests,
    agentRequests,
    cmdkUsages: skewed(draw(drawn, 11), 30),
    subscriptionIncludedReqs: events.included,
    apiKeyReqs: events.ownKey,
    usageBasedReqs: events.charged,
    bugbotUsages: draw(drawn, 12) % 9 === 0 ? 1 + (draw(drawn, 13) % 4) : 0,
    mostUsedModel: events.model,
    applyMostUsedExtension: totalApplies ? pick(extensions, draw(drawn, 14)) : null,
    tabMostUsedExtension: totalTabsShown ? pick(extensions, draw(drawn, 15)) : null,
    clientVersion: version,
  };
}

/** A person's events of a day, counted by billing type. */
export interface Ways {
  included: number;
  charged: number;
  ownKey: number;
  model: UsageEvent['model'] | null;
}

const portion = (whole: number, drawn: number): number => Math.floor((whole * (drawn & 0xff)) / 0x100);
