import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { AuditService } from '../../../audit/audit.service.js';
import { Database } from '../../../platform/database/database.service.js';
import { invalidRequest } from '../../../platform/errors/general.error.js';
import { decodeCursor, page, type Page, type PageArgs } from '../../../platform/graphql/connection.js';
import type { Principal } from '../../../principal/principal.js';
import {
  type IdentityRow,
  listIdentities,
  lockIdentities,
  type LockedIdentity,
  readIdentities,
  setNobody,
  setOpen,
  setPeople,
} from './identities.sql.js';
import type { IdentityState, SpendIdentity } from './identity.entity.js';
import { Matching } from '../matching.service.js';
import { addressTaken, identityNotFound, notToMatch, personNotFound } from '../people.error.js';
import { lockPeople } from '../people-rows.js';
import { addAlias, forgetLearned, holderOf } from '../people.sql.js';
import { SpendPerson } from '../person.entity.js';
import { Suggestions } from './suggestions.service.js';

export interface IdentityFilter {
  connectionId?: string | null;
  state?: IdentityState | null;
  search?: string | null;
}
export interface Said {
  identityId: number;
  personId: string;
}

/** Whom vendors name, and what administrators say about whose that is. */
@Injectable()
export class Identities {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly matching: Matching,
    private readonly suggestions: Suggestions,
  ) {}

  /** As they were first met. */
  list(principal: Principal, { first, after }: PageArgs, filter: IdentityFilter = {}): Promise<Page<SpendIdentity>> {
    const [id] = after ? decodeCursor(after, ['text']) : [null];
    if (id !== null && !/^\d{1,9}$/.test(id)) throw invalidRequest('The cursor is not one of ours.');
    const { connectionId = null, state = null, search = null } = filter;
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, connectionId, state, search, id, first + 1];
      const rows = await tx.query<(IdentityRow & { total: number })[]>(listIdentities, values);
      const found = page(rows, first, rows[0]?.total ?? 0, (row) => [String(row.id)]);
      return { ...found, nodes: await this.complete(tx, principal, found.nodes) };
    });
  }

  /** All of it or nothing. What the same vendor calls them elsewhere is known from now on, too. */
  match(principal: Principal, said: readonly Said[]): Promise<SpendIdentity[]> {
    const ids = said.map(({ identityId }) => identityId);
    return this.writing(principal, ids, 'matched', async (tx, identities) => {
      const { tenantId } = principal;
      const people = await this.peopleOf(
        tx,
        principal,
        said.map(({ personId }) => personId),
      );
      for (const identity of identities.values()) await this.forget(tx, principal, identity);
      for (const { identityId, personId } of said)
        await this.learn(tx, principal, identities.get(identityId)!, people.get(personId)!);
      await tx.query(setPeople, [tenantId, ids, said.map(({ personId }) => personId)]);
      return said.map(({ identityId, personId }) => ({ id: identityId, person: people.get(personId)! }));
    });
  }

  /** Nobody's again, and by no rule anybody's until an administrator says so. */
  unmatch(principal: Principal, ids: readonly number[]): Promise<SpendIdentity[]> {
    return this.writing(principal, ids, 'unmatched', (tx, identities) =>
      this.leave(tx, principal, identities, { isIgnored: false }),
    );
  }

  /** To be nobody's: it is not asked about any more. */
  ignore(principal: Principal, ids: readonly number[]): Promise<SpendIdentity[]> {
    return this.writing(principal, ids, 'ignored', (tx, identities) =>
      this.leave(tx, principal, identities, { isIgnored: true }),
    );
  }

  /** Rules may find whose it is again. */
  reopen(principal: Principal, ids: readonly number[]): Promise<SpendIdentity[]> {
    return this.writing(principal, ids, 'reopened', async (tx) => {
      await tx.query(setOpen, [principal.tenantId, ids]);
      return [];
    });
  }

  private async writing(
    principal: Principal,
    ids: readonly number[],
    done: string,
    write: (
      tx: EntityManager,
      identities: Map<number, LockedIdentity>,
    ) => Promise<{ id: number; person: SpendPerson }[]>,
  ): Promise<SpendIdentity[]> {
    requireOnce(ids);
    return this.database.tenant(principal, async (tx) => {
      await lockPeople(tx, principal.tenantId);
      const identities = await locked(tx, principal, ids);
      const said = new Map((await write(tx, identities)).map(({ id, person }) => [id, person]));
      await this.audit.recordAll(
        tx,
        [...identities.values()].map((identity) => ({
          principal,
          record: {
            kind: `spend_identity.${done}`,
            subject: { type: 'spend_identity', id: String(identity.id), name: identity.key },
            detail: { from: identity.personId, ...(said.has(identity.id) && { to: said.get(identity.id)!.id }) },
          },
        })),
      );
      await this.matching.match(tx, principal);
      const rows = await tx.query<IdentityRow[]>(readIdentities, [principal.tenantId, ids]);
      return this.complete(tx, principal, rows);
    });
  }

  /** What it is called is theirs: wherever else the vendor says so, and in connections to come. */
  private async learn(
    tx: EntityManager,
    { tenantId }: Principal,
    { kind, key, vendor }: LockedIdentity,
    person: SpendPerson,
  ): Promise<void> {
    if (kind === 'unattributed') throw notToMatch('The vendor counts under it what it attributes to nobody.');
    const alias = [tenantId, kind, vendorOf({ kind, vendor }), key];
    const [holder] = await tx.query<SpendPerson[]>(holderOf, alias);
    if (holder && holder.id !== person.id)
      throw addressTaken(
        holder.email === key
          ? `${key} is the address of ${holder.name}, so it cannot be ${person.name}’s as well.`
          : `${key} is an alias of ${holder.name}, so it cannot be ${person.name}’s as well.`,
      );
    if (!holder) await tx.query(addAlias, [...alias, person.id]);
  }

  private async leave(
    tx: EntityManager,
    principal: Principal,
    identities: Map<number, LockedIdentity>,
    { isIgnored }: { isIgnored: boolean },
  ): Promise<[]> {
    for (const identity of identities.values()) await this.forget(tx, principal, identity);
    await tx.query(setNobody, [principal.tenantId, [...identities.keys()], isIgnored]);
    return [];
  }

  /** That it is somebody's was learned; their own address stays their own. */
  private async forget(
    tx: EntityManager,
    { tenantId }: Principal,
    { kind, key, vendor, personId }: LockedIdentity,
  ): Promise<void> {
    if (personId) await tx.query(forgetLearned, [tenantId, kind, vendorOf({ kind, vendor }), key, personId]);
  }

  private async peopleOf(
    tx: EntityManager,
    { tenantId }: Principal,
    ids: readonly string[],
  ): Promise<Map<string, SpendPerson>> {
    const people = await tx.findBy(SpendPerson, { tenantId, id: In([...ids]) });
    const found = new Map(people.map((person) => [person.id, person]));
    const missing = ids.find((id) => !found.has(id));
    if (missing) throw personNotFound(`There is no person ${missing}.`);
    return found;
  }

  private async complete(
    tx: EntityManager,
    principal: Principal,
    rows: readonly IdentityRow[],
  ): Promise<SpendIdentity[]> {
    const matched = rows.flatMap(({ personId }) => personId ?? []);
    const people = await this.peopleOf(tx, principal, matched);
    const open = rows.filter(({ personId, isIgnored, kind }) => !personId && !isIgnored && kind !== 'unattributed');
    const suggestions = await this.suggestions.of(tx, principal, open);
    return rows.map((row) => ({
      ...row,
      person: row.personId ? people.get(row.personId)! : null,
      suggestions: suggestions.get(row.id) ?? [],
    }));
  }
}

/** An address is the same everywhere; any other name is its vendor's. */
const vendorOf = ({ kind, vendor }: { kind: string; vendor: string }): string => (kind === 'email' ? '' : vendor);

function requireOnce(ids: readonly number[]): void {
  if (new Set(ids).size < ids.length) throw invalidRequest('An identity is named twice.');
}

async function locked(
  tx: EntityManager,
  { tenantId }: Principal,
  ids: readonly number[],
): Promise<Map<number, LockedIdentity>> {
  const rows = await tx.query<LockedIdentity[]>(lockIdentities, [tenantId, ids]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw identityNotFound(`There is no identity ${missing}.`);
  return found;
}
