import type { Tx } from '../../platform/database/tx.js';
import type { Permission } from '../../principal/permissions.js';
import type { Principal } from '../../principal/principal.js';
import type { AdministrationArea } from './administration-area.js';
import type { ChangedField } from './proposed-change.entity.js';

/** What a change would do, as the second administrator sees it. */
export interface ChangeDescription {
  /** If a second administrator is required in one of these areas, the change is proposed. */
  areas: readonly AdministrationArea[];
  /** "Publish policies of Support desk". */
  title: string;
  subject: { type: string; id: string; name?: string };
  fields: ChangedField[];
  /** State that is not shown but must not change until the change is confirmed: a revision, a version. */
  basis?: string;
}

/**
 * One kind of administration that can require a second administrator. `Input` is stored as JSON until the change is
 * confirmed.
 */
export interface ChangeKind<Input, Result, Prepared = void> {
  /** "policy.publish". Stored with proposed changes. */
  kind: string;
  /** Both administrators need it. */
  permission: Permission;
  /** Needs a second administrator in every organization. */
  isAlwaysProposed?: boolean;
  /**
   * Programs with an admin token may submit it. What `describe` describes is then proposed, so that a person in a session
   * confirms it: a second administrator where the organization requires one, otherwise also the owner of the token.
   */
  acceptsTokens?: boolean;
  /** Work outside of the transaction: slow checks, requests to other systems. Repeated before the change is applied. */
  prepare?(principal: Principal, input: Input): Promise<Prepared>;
  /**
   * Work outside of the transaction that must not happen for a proposal, such as requests to a new target. Runs only once
   * the change may be applied; its result is `prepared` in `apply`.
   */
  prepareToApply?(principal: Principal, input: Input): Promise<Prepared>;
  /** Refuses changes that are not possible. Null: no one else has to confirm this one. */
  describe(tx: Tx, principal: Principal, input: Input, prepared: Prepared): Promise<ChangeDescription | null>;
  /** The principal of a confirmed change is the second administrator; its chain names the first. */
  apply(tx: Tx, principal: Principal, input: Input, prepared: Prepared): Promise<Result>;
  /** After the commit. */
  finish?(principal: Principal, result: Result): Promise<Result>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- kinds of any input and result
export type AnyChangeKind = ChangeKind<any, any, any>;

/** The administrators who share the responsibility for a change: the acting one, and the one who proposed it. */
export const authorsOf = ({ memberId, chain }: Principal): string[] => [
  ...chain.flatMap(({ kind, id }) => (kind === 'member' && id !== memberId ? [id] : [])),
  ...(memberId ? [memberId] : []),
];

/** "Ada Admin, confirmed by Rita Reviewer" for a confirmed change. */
export function authorNameOf({ name, memberId, chain }: Principal): string {
  const [proposer] = chain;
  return proposer?.kind === 'member' && proposer.id !== memberId ? `${proposer.name}, confirmed by ${name}` : name;
}

/** The fields that differ. Values are shown as text. */
export function differingFields(
  entries: readonly (readonly [label: string, before: string | null, after: string | null])[],
): ChangedField[] {
  return entries
    .filter(([, before, after]) => before !== after)
    .map(([label, before, after]) => ({ label, before, after }));
}

/** For texts that people decide by: another member can have the same name, but not the same email address. */
export const distinctNameOf = ({ name, email }: { name: string; email: string }): string => `${name} (${email})`;
