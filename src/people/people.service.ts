import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import { assertCurrentVersion } from '../platform/graphql/version.js';
import type { Principal } from '../principal/principal.js';
import { emailKey } from './vendor-identity.port.js';
import { IdentityMatchingService } from './identity-matching.service.js';
import { MemberPeopleSyncService } from './member-people-sync.service.js';
import { PersonMergeService } from './person-merge.service.js';
import { addressTaken, followsAccount, personNotFound, unitNotFound } from './people.error.js';
import { changePeople, insertPeople, type PersonFields } from './people-rows.js';
import { lockPeople } from './people-rows.sql.js';
import { listAddresses, addAlias, deleteAlias, findAliasHolder, listPeople, detachAlias } from './people.sql.js';
import { personSettings, SpendPerson } from './person.entity.js';
import { SpendUnit, type UnitKind } from './units/unit.entity.js';

export interface PeopleFilter {
  search?: string | null;
  unitId?: string | null;
  isRemoved?: boolean;
}
export interface PersonToCreate {
  name: string;
  email?: string | null;
  isServiceAccount?: boolean;
  groupId?: string | null;
  costCentreId?: string | null;
}

/** People that usage can be attributed to. Returns no usage. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly identityMatching: IdentityMatchingService,
    private readonly memberPeopleSync: MemberPeopleSyncService,
    private readonly personMerge: PersonMergeService,
  ) {}

  /** Sorted by name. */
  list(principal: Principal, { first, after }: PageArgs, filter: PeopleFilter = {}): Promise<Page<SpendPerson>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    const { search = null, unitId = null, isRemoved = false } = filter;
    return this.database.tenant(principal, async (tx) => {
      await this.memberPeopleSync.sync(tx, principal);
      const rows = await tx.run(listPeople, [principal.tenantId, search, unitId, isRemoved, name, id, first + 1]);
      return toPage(rows, first, rows[0]?.total ?? 0, (person) => [person.name, person.id]);
    });
  }

  get(principal: Principal, id: string): Promise<SpendPerson> {
    return this.database.tenant(principal, (tx) => this.load(tx, principal, id));
  }

  create(principal: Principal, input: PersonToCreate): Promise<SpendPerson> {
    const { name, groupId = null, costCentreId = null, isServiceAccount = false } = input;
    const email = input.email ? parseEmail(input.email) : null;
    if (!email && !isServiceAccount)
      throw invalidRequest('Enter an email address. Only service accounts can do without one.', {
        errors: [{ pointer: '/email', detail: 'is missing' }],
      });
    return this.changePerson(principal, async (tx) => {
      if (email) await requireUnusedEmail(tx, principal, email);
      await requireUnits(tx, principal, { groupId, costCentreId });
      const person = { name: name.trim(), email, isServiceAccount, groupId, costCentreId };
      const [id] = await insertPeople(tx, principal.tenantId, [person]);
      await this.record(tx, principal, 'created', { id, name: person.name }, { email, groupId, costCentreId });
      return id;
    });
  }

  update(principal: Principal, id: string, patch: PersonFields, basedOn?: string | null): Promise<SpendPerson> {
    return this.changePerson(principal, async (tx) => {
      const person = await this.load(tx, principal, id);
      assertCurrentVersion(basedOn, personSettings(person));
      const changes = {
        name: patch.name?.trim(),
        email: patch.email ? parseEmail(patch.email) : undefined,
        groupId: patch.groupId,
        costCentreId: patch.costCentreId,
      };
      if (person.memberId && (changes.name ?? changes.email))
        throw followsAccount(`${person.name} is a member. Change the member account instead.`);
      if (changes.email) await requireUnusedEmail(tx, principal, changes.email, id);
      await requireUnits(tx, principal, changes);
      await changePeople(tx, principal.tenantId, [{ id, ...changes }]);
      await this.record(tx, principal, 'changed', person, changes);
      return id;
    });
  }

  /** Their usage stays attributed to them. For a member, remove the account instead. */
  remove(principal: Principal, id: string): Promise<SpendPerson> {
    return this.setRemoved(principal, id, 'removed', new Date());
  }

  restore(principal: Principal, id: string): Promise<SpendPerson> {
    return this.setRemoved(principal, id, 'restored', null);
  }

  /** Moves all data of the first person to the second. */
  merge(principal: Principal, { from, into }: { from: string; into: string }): Promise<SpendPerson> {
    return this.changePerson(principal, async (tx) => {
      const [source, target] = [await this.load(tx, principal, from), await this.load(tx, principal, into)];
      if (from === into)
        throw invalidRequest('These are the same person.', {
          errors: [{ pointer: '/intoId', detail: 'is the same as "fromId"' }],
        });
      if (source.memberId && !source.removedAt)
        throw followsAccount(
          `${source.name} is a member. Merge the other person into them, or remove the member account first.`,
        );
      await this.personMerge.merge(tx, principal, { from, into: target.id });
      return into;
    });
  }

  /** Existing usage with this email address is matched immediately. */
  addAlias(principal: Principal, id: string, input: string): Promise<SpendPerson> {
    const email = parseEmail(input);
    return this.changePerson(principal, async (tx) => {
      const person = await this.load(tx, principal, id);
      await requireUnusedEmail(tx, principal, email, id);
      await tx.execute(addAlias, [principal.tenantId, 'email', '', email, id]);
      await this.record(tx, principal, 'alias_added', person, { email });
      return id;
    });
  }

  /** Removes the matches made by this alias, unless another rule matches them again. */
  removeAlias(principal: Principal, id: string, input: string): Promise<SpendPerson> {
    const email = parseEmail(input);
    return this.changePerson(principal, async (tx) => {
      const person = await this.load(tx, principal, id);
      if (person.email === email)
        throw followsAccount(`${email} is the main email address of ${person.name}, not an alias.`);
      const { tenantId } = principal;
      const removed = await tx.execute(deleteAlias, [tenantId, 'email', '', email, id]);
      if (!removed) return id;
      await tx.execute(detachAlias, [tenantId, email, id]);
      await this.record(tx, principal, 'alias_removed', person, { email });
      return id;
    });
  }

  /** Aliases of each person, in the order of the ids. */
  listAliases(principal: Principal, ids: readonly string[]): Promise<string[][]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listAddresses, [principal.tenantId, ids]);
      return groupedBy(ids, rows, ({ personId }) => personId).map((own) => own.map(({ key }) => key));
    });
  }

  private setRemoved(principal: Principal, id: string, action: string, removedAt: Date | null): Promise<SpendPerson> {
    return this.changePerson(principal, async (tx) => {
      const person = await this.load(tx, principal, id);
      if (person.memberId)
        throw followsAccount(`${person.name} is a member. Remove the member account, or invite it again.`);
      if ((person.removedAt === null) === (removedAt === null)) return id;
      await changePeople(tx, principal.tenantId, [{ id, removedAt }]);
      await this.record(tx, principal, action, person);
      return id;
    });
  }

  /** Serializes changes, and matches identities in the same transaction. */
  private changePerson(principal: Principal, write: (tx: Tx) => Promise<string>): Promise<SpendPerson> {
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockPeople, [principal.tenantId]);
      const id = await write(tx);
      await this.identityMatching.match(tx, principal);
      return this.load(tx, principal, id);
    });
  }

  private async load(tx: Tx, { tenantId }: Principal, id: string): Promise<SpendPerson> {
    const person = await tx.findOneBy(SpendPerson, { tenantId, id });
    if (!person) throw personNotFound('There is no such person.');
    return person;
  }

  private record(
    tx: Tx,
    principal: Principal,
    action: string,
    { id, name }: { id: string; name: string },
    detail?: Record<string, unknown>,
  ): Promise<void> {
    const subject = { type: 'spend_person', id, name };
    return this.audit.record(tx, principal, { kind: `spend_person.${action}`, subject, detail });
  }
}

function parseEmail(typed: string): string {
  const email = emailKey(typed);
  if (email) return email;
  throw invalidRequest('This is not an email address.', {
    errors: [{ pointer: '/email', detail: 'is not an email address' }],
  });
}

async function requireUnusedEmail(tx: Tx, { tenantId }: Principal, email: string, forId?: string): Promise<void> {
  const holder = await tx.one(findAliasHolder, [tenantId, 'email', '', email]);
  if (!holder || holder.id === forId) return;
  const relation = holder.email === email ? 'the email address' : 'an alias';
  throw addressTaken(`${email} is ${relation} of ${holder.name}${holder.email === email ? '' : ` (${holder.email})`}.`);
}

async function requireUnits(
  tx: Tx,
  { tenantId }: Principal,
  { groupId, costCentreId }: { groupId?: string | null; costCentreId?: string | null },
): Promise<void> {
  const units: [UnitKind, string | null | undefined][] = [
    ['group', groupId],
    ['cost_centre', costCentreId],
  ];
  for (const [kind, id] of units)
    if (id && !(await tx.existsBy(SpendUnit, { tenantId, id, kind })))
      throw unitNotFound(`There is no such ${kind.replace('_', ' ')}.`);
}
