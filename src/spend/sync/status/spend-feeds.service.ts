import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { ConnectorRegistry } from '../../../connections/connector-registry.service.js';
import { ConnectionsService } from '../../../connections/connections.service.js';
import { newId } from '../../../platform/crypto/ids.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import { invalidRequest } from '../../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../../../platform/graphql/connection.js';
import { dayOf, plusDays, type Day } from '../../../platform/time/day.js';
import type { Principal } from '../../../principal/principal.js';
import { ExactSum } from '../../exact-sum.js';
import { SpendVendorRegistry } from '../../spend-vendor-registry.service.js';
import { insertRun } from '../feeds/runs.sql.js';
import { feedNotFound } from '../spend-sync.error.js';
import { mostUrgentRun } from '../sync-plan.js';
import type { Stream } from '../coverage/coverage.sql.js';
import type { SpendCoveredDay, SpendRevision } from './covered-day.entity.js';
import {
  type FeedListRow,
  findRun,
  listDays,
  listFeeds,
  listRunsInProgress,
  listDayRevisions,
  listRuns,
  sumOwnCycle,
  scheduleFeedNow,
} from './spend-feeds.sql.js';
import type { SpendDrift, SpendFeed, SpendRun } from './spend-feed.entity.js';

const maxCoverageDays = 400;

interface CoverageRange {
  connectionId: string;
  from: Day;
  to: Day;
}

/** Sync status, and requests for a sync. */
@Injectable()
export class SpendFeedsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly connections: ConnectionsService,
    private readonly connectors: ConnectorRegistry,
    private readonly vendors: SpendVendorRegistry,
  ) {}

  list(principal: Principal): Promise<SpendFeed[]> {
    return this.database.tenant(principal, (tx) => this.loadFeeds(tx, principal, null));
  }

  listRuns(principal: Principal, connectionId: string, { first, after }: PageArgs): Promise<Page<SpendRun>> {
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listRuns, [principal.tenantId, connectionId, last, first + 1]);
      return toPage(rows, first, rows[0]?.total ?? 0, ({ id }) => [id]);
    });
  }

  /** Newest first. Days before the first one that the vendor served have no row. */
  listDays(principal: Principal, range: CoverageRange): Promise<SpendCoveredDay[]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listDays, rangeValues(principal, range));
      return [...Map.groupBy(rows, ({ day }) => day)].map(([day, streams]) => {
        const of = (name: Stream) => streams.find(({ stream }) => stream === name)!;
        return {
          day,
          revision: Math.max(...streams.map((row) => row.revision)),
          usage: of('usage'),
          events: of('events'),
        };
      });
    });
  }

  /** Newest first, at most 1,000. */
  listRevisions(principal: Principal, range: CoverageRange): Promise<SpendRevision[]> {
    return this.database.tenant(principal, (tx) => tx.run(listDayRevisions, rangeValues(principal, range)));
  }

  /** The sync starts within a second, or as soon as the vendor accepts requests again. */
  async requestSync(principal: Principal, connectionId: string, days: number): Promise<SpendRun> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const connection = await this.connections.find(principal, connectionId, tx);
      const hasFeed = connection && this.vendors.kinds().includes(connection.kind);
      const scheduled = hasFeed ? await tx.execute(scheduleFeedNow, [tenantId, connectionId]) : 0;
      if (!connection || !scheduled) throw feedNotFound('No usage is synced from this connection.');
      const reach = Math.min(days, this.vendors.get(connection.kind).daysBack);
      const [id, now] = [newId(), new Date()];
      const today = dayOf(now);
      await tx.execute(insertRun, [tenantId, connectionId, id, 'asked', plusDays(today, 1 - reach), today, reach, now]);
      await this.audit.record(tx, principal, {
        kind: 'spend.pull_requested',
        subject: { type: 'connection', id: connectionId, name: connection.name },
        detail: { days: reach },
      });
      const [run] = await tx.run(findRun, [tenantId, connectionId, id]);
      return run;
    });
  }

  private async loadFeeds(tx: Tx, { tenantId }: Principal, connectionId: string | null): Promise<SpendFeed[]> {
    const feeds = await tx.run(listFeeds, [tenantId, connectionId]);
    const open = await tx.run(listRunsInProgress, [tenantId, connectionId]);
    const shown: SpendFeed[] = [];
    for (const feed of feeds) {
      const own = open.filter((run) => run.connectionId === feed.connectionId);
      const vendor = this.connectors.get(feed.kind).title;
      shown.push({ ...feed, vendor, open: byUrgency(own), drift: await driftOf(tx, tenantId, feed) });
    }
    return shown;
  }
}

function byUrgency(runs: SpendRun[]): SpendRun[] {
  const first = mostUrgentRun(runs);
  return first ? [first, ...byUrgency(runs.filter((run) => run !== first))] : [];
}

async function driftOf(tx: Tx, tenantId: string, feed: FeedListRow): Promise<SpendDrift | null> {
  const { connectionId, cycleStart, vendorCents, askedAt } = feed;
  if (!cycleStart || vendorCents === null || !askedAt) return null;
  const [{ cents, missing }] = await tx.run(sumOwnCycle, [tenantId, connectionId, cycleStart]);
  const less = vendorCents.startsWith('-') ? vendorCents.slice(1) : `-${vendorCents}`;
  const differenceCents = new ExactSum(cents).add(less).toString();
  return { cycleStart, vendorCents, ourCents: cents, differenceCents, missingDays: missing, askedAt };
}

function rangeValues(
  { tenantId }: Principal,
  { connectionId, from, to }: CoverageRange,
): [tenantId: string, connectionId: string, from: Day, to: Day] {
  if (from > to || to > plusDays(from, maxCoverageDays - 1))
    throw invalidRequest(`The range from "from" to "to" must have 1 to ${maxCoverageDays} days.`);
  return [tenantId, connectionId, from, to];
}
