import { Injectable } from '@nestjs/common';
import { type BulkConnection, BulkDatabaseService } from '../../platform/database/bulk-database.service.js';
import type { Principal } from '../../principal/principal.js';
import type { IntList } from './int-list.js';
import type { RosterDraft } from './roster-draft.js';
import {
  completeRoster,
  deleteUnlistedAccounts,
  deleteUnlistedAudiences,
  deleteUnlistedGroups,
  deleteUnlistedSets,
  rosterStaging,
  stageAccounts,
  stageAudiences,
  stageGroups,
  stageMemberships,
  stageReaders,
  stageSets,
  upsertAccounts,
  upsertAudiences,
  upsertGroups,
  upsertSets,
} from './roster-writes.sql.js';

const rowsPerStatement = 20_000;
const pairsPerStatement = 100_000;

/** Another process took over, or the connection was paused or removed. */
export class RosterRunSuperseded extends Error {}

/** Replaces the roster of a connection in one transaction. */
@Injectable()
export class RosterWriterService {
  constructor(private readonly database: BulkDatabaseService) {}

  write(principal: Principal, connectionId: string, runId: string, draft: RosterDraft): Promise<void> {
    const { tenantId } = principal;
    const owner = [tenantId, connectionId] as const;
    return this.database.use(async (bulk) => {
      await stage(bulk, draft);
      await bulk.tenant(principal, async (tx) => {
        await tx.execute(upsertAccounts, owner);
        await tx.execute(deleteUnlistedAccounts, owner);
        await tx.execute(upsertGroups, owner);
        await tx.execute(deleteUnlistedGroups, owner);
        await tx.execute(upsertAudiences, owner);
        await tx.execute(deleteUnlistedAudiences, owner);
        await tx.execute(upsertSets, owner);
        await tx.execute(deleteUnlistedSets, owner);
        const counts = [draft.listedAccounts.length, draft.listedGroups.length, draft.audiences.length] as const;
        const problems = JSON.stringify(draft.problems);
        if (!(await tx.execute(completeRoster, [...owner, runId, ...counts, problems])))
          throw new RosterRunSuperseded();
      });
    });
  }
}

/** Fills temporary tables before the transaction, so that the transaction stays short. */
async function stage(bulk: BulkConnection, draft: RosterDraft): Promise<void> {
  for (const create of rosterStaging) await bulk.execute(create);
  for (const rows of chunks(draft.listedAccounts))
    await bulk.execute(stageAccounts, [
      rows.map(({ number }) => number),
      rows.map(({ id }) => id),
      rows.map(({ externalId }) => externalId),
      rows.map(({ name }) => name),
      rows.map(({ email }) => email),
    ]);
  for (const rows of chunks(draft.listedGroups))
    await bulk.execute(stageGroups, [
      rows.map(({ number }) => number),
      rows.map(({ id }) => id),
      rows.map(({ externalId }) => externalId),
    ]);
  for (const rows of chunks(draft.audiences))
    await bulk.execute(stageAudiences, [
      rows.map(({ id }) => id),
      rows.map(({ externalId }) => externalId),
      rows.map(({ title }) => title),
      rows.map(({ url }) => url),
      rows.map(({ rule }) => rule),
      rows.map(({ readers }) => readers),
      rows.map(({ setIds }) => setIds.length),
    ]);
  for (const rows of chunks(setsOf(draft)))
    await bulk.execute(stageSets, [
      rows.map(({ number }) => number),
      rows.map(({ id }) => id),
      rows.map(({ audienceId }) => audienceId),
      rows.map(({ position }) => position),
    ]);
  for (const [groups, accounts] of pairs(draft.memberships.groups, draft.memberships.accounts))
    await bulk.execute(stageMemberships, [groups, accounts]);
  for (const [sets, holders] of pairs(draft.readers.sets, draft.readers.holders))
    await bulk.execute(stageReaders, [sets, holders]);
}

/** Excludes the sets of audiences that became unreadable. */
function setsOf({ setIds, setAudienceIds, audiences }: RosterDraft) {
  const positions = new Map(audiences.flatMap((audience) => audience.setIds.map((id, position) => [id, position])));
  return setIds.flatMap((id, number) => {
    const position = positions.get(id);
    return position === undefined ? [] : [{ number, id, audienceId: setAudienceIds[number], position }];
  });
}

function* chunks<T>(rows: T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) yield rows.slice(at, at + rowsPerStatement);
}

function* pairs(left: IntList, right: IntList): Generator<[number[], number[]]> {
  for (let at = 0; at < left.length; at += pairsPerStatement)
    yield [left.slice(at, at + pairsPerStatement), right.slice(at, at + pairsPerStatement)];
}
