import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import {
  type IdentityRow,
  listIdentities,
  lockIdentities,
  type LockedIdentity,
  readIdentities,
  detachIdentities,
  reopenIgnoredIdentities,
  matchToPeople,
} from './identities.sql.js';
import type { IdentityState, SpendIdentity } from './identity.entity.js';
import { IdentityMatchingService } from '../identity-matching.service.js';
import { addressTaken, identityNotFound, identityNotMatchable, personNotFound } from '../people.error.js';
import { lockPeople } from '../people-rows.sql.js';
import { addAlias, deleteLearnedAlias, findAliasHolder } from '../people.sql.js';
import { SpendPerson } from '../person.entity.js';
import { MatchSuggestionsService } from './match-suggestions.service.js';

export interface IdentityFilter {
  connectionId?: string | null;
  state?: IdentityState | null;
  search?: string | null;
}
export interface IdentityMatch {
  identityId: number;
  personId: string;
}

/** Vendor identities, and the matches that administrators make. */
@Injectable()
export class VendorIdentitiesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly identityMatching: IdentityMatchingService,
    private readonly matchSuggestions: MatchSuggestionsService,
  ) {}

  /** In order of first appearance. */
  list(principal: Principal, { first, after }: PageArgs, filter: IdentityFilter = {}): Promise<Page<SpendIdentity>> {
    const [id] = after ? decodeCursor(after, ['text']) : [null];
    if (id !== null && !/^\d{1,9}$/.test(id)) throw invalidRequest('The cursor is invalid or belongs to another list.');
    const { connectionId = null, state = null, search = null } = filter;
    return this.database.tenant(principal, async (tx) => {
      const afterId = id === null ? null : Number(id);
      const rows = await tx.run(listIdentities, [principal.tenantId, connectionId, state, search, afterId, first + 1]);
      const found = toPage(rows, first, rows[0]?.total ?? 0, (row) => [String(row.id)]);
      return { ...found, nodes: await this.withSuggestions(tx, principal, found.nodes) };
    });
  }

  /** Applies all matches or none. The keys become aliases, so other connections of the same vendor match them too. */
  match(principal: Principal, matches: readonly IdentityMatch[]): Promise<SpendIdentity[]> {
    const ids = matches.map(({ identityId }) => identityId);
    return this.changeIdentities(principal, ids, 'matched', async (tx, identities) => {
      const { tenantId } = principal;
      const people = await this.loadPeople(
        tx,
        principal,
        matches.map(({ personId }) => personId),
      );
      for (const identity of identities.values()) await this.removeLearnedAlias(tx, principal, identity);
      for (const { identityId, personId } of matches)
        await this.addLearnedAlias(tx, principal, identities.get(identityId)!, people.get(personId)!);
      await tx.execute(matchToPeople, [tenantId, ids, matches.map(({ personId }) => personId)]);
      return matches.map(({ identityId, personId }) => ({ id: identityId, person: people.get(personId)! }));
    });
  }

  /** Removes the matches. Rules do not match these identities until an administrator reopens them. */
  unmatch(principal: Principal, ids: readonly number[]): Promise<SpendIdentity[]> {
    return this.changeIdentities(principal, ids, 'unmatched', (tx, identities) =>
      this.detach(tx, principal, identities, { isIgnored: false }),
    );
  }

  /** Excludes the identities from matching, so that they are not listed as unmatched. */
  ignore(principal: Principal, ids: readonly number[]): Promise<SpendIdentity[]> {
    return this.changeIdentities(principal, ids, 'ignored', (tx, identities) =>
      this.detach(tx, principal, identities, { isIgnored: true }),
    );
  }

  /** Lets rules match the identities again. */
  reopen(principal: Principal, ids: readonly number[]): Promise<SpendIdentity[]> {
    return this.changeIdentities(principal, ids, 'reopened', async (tx) => {
      await tx.execute(reopenIgnoredIdentities, [principal.tenantId, ids]);
      return [];
    });
  }

  private async changeIdentities(
    principal: Principal,
    ids: readonly number[],
    action: string,
    write: (tx: Tx, identities: Map<number, LockedIdentity>) => Promise<{ id: number; person: SpendPerson }[]>,
  ): Promise<SpendIdentity[]> {
    requireDistinct(ids);
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockPeople, [principal.tenantId]);
      const identities = await loadLocked(tx, principal, ids);
      const matched = new Map((await write(tx, identities)).map(({ id, person }) => [id, person]));
      await this.audit.recordAll(
        tx,
        [...identities.values()].map((identity) => ({
          principal,
          record: {
            kind: `spend_identity.${action}`,
            subject: { type: 'spend_identity', id: String(identity.id), name: identity.key },
            detail: { from: identity.personId, ...(matched.has(identity.id) && { to: matched.get(identity.id)!.id }) },
          },
        })),
      );
      await this.identityMatching.match(tx, principal);
      const rows = await tx.run(readIdentities, [principal.tenantId, ids]);
      return this.withSuggestions(tx, principal, rows);
    });
  }

  /** Makes the key an alias of the person, so that other and future connections of the vendor match it. */
  private async addLearnedAlias(
    tx: Tx,
    { tenantId }: Principal,
    { kind, key, vendor }: LockedIdentity,
    person: SpendPerson,
  ): Promise<void> {
    if (kind === 'unattributed')
      throw identityNotMatchable('The vendor uses this identity for usage that it attributes to nobody.');
    const alias = [tenantId, kind, aliasVendorOf({ kind, vendor }), key] as const;
    const holder = await tx.one(findAliasHolder, alias);
    if (holder && holder.id !== person.id)
      throw addressTaken(
        holder.email === key
          ? `${key} is the email address of ${holder.name}, so it cannot be matched to ${person.name}.`
          : `${key} is an alias of ${holder.name}, so it cannot be matched to ${person.name}.`,
      );
    if (!holder) await tx.execute(addAlias, [...alias, person.id]);
  }

  private async detach(
    tx: Tx,
    principal: Principal,
    identities: Map<number, LockedIdentity>,
    { isIgnored }: { isIgnored: boolean },
  ): Promise<[]> {
    for (const identity of identities.values()) await this.removeLearnedAlias(tx, principal, identity);
    await tx.execute(detachIdentities, [principal.tenantId, [...identities.keys()], isIgnored]);
    return [];
  }

  /** Removes the alias that a match added. The person's own email address stays. */
  private async removeLearnedAlias(
    tx: Tx,
    { tenantId }: Principal,
    { kind, key, vendor, personId }: LockedIdentity,
  ): Promise<void> {
    if (personId)
      await tx.execute(deleteLearnedAlias, [tenantId, kind, aliasVendorOf({ kind, vendor }), key, personId]);
  }

  private async loadPeople(tx: Tx, { tenantId }: Principal, ids: readonly string[]): Promise<Map<string, SpendPerson>> {
    const people = await tx.findBy(SpendPerson, { tenantId, id: In([...ids]) });
    const found = new Map(people.map((person) => [person.id, person]));
    const missing = ids.find((id) => !found.has(id));
    if (missing) throw personNotFound(`There is no person ${missing}.`);
    return found;
  }

  private async withSuggestions(tx: Tx, principal: Principal, rows: readonly IdentityRow[]): Promise<SpendIdentity[]> {
    const matched = rows.flatMap(({ personId }) => personId ?? []);
    const people = await this.loadPeople(tx, principal, matched);
    const open = rows.filter(({ personId, isIgnored, kind }) => !personId && !isIgnored && kind !== 'unattributed');
    const suggestions = await this.matchSuggestions.suggest(tx, principal, open);
    return rows.map((row) => ({
      ...row,
      person: row.personId ? people.get(row.personId)! : null,
      suggestions: suggestions.get(row.id) ?? [],
    }));
  }
}

/** Email addresses are global. Logins and user ids are unique per vendor. */
const aliasVendorOf = ({ kind, vendor }: { kind: string; vendor: string }): string => (kind === 'email' ? '' : vendor);

function requireDistinct(ids: readonly number[]): void {
  if (new Set(ids).size < ids.length)
    throw invalidRequest('The request lists an identity twice. List each identity once.');
}

async function loadLocked(
  tx: Tx,
  { tenantId }: Principal,
  ids: readonly number[],
): Promise<Map<number, LockedIdentity>> {
  const rows = await tx.run(lockIdentities, [tenantId, ids]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw identityNotFound(`There is no identity ${missing}.`);
  return found;
}
