import { normalizeEmail } from '../../access/email.port.js';
import type {
  ReaderSet,
  RosterEntry,
  SourceAccount,
  SourceAudience,
  SourceGroup,
} from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { canonicalJson } from '../../platform/json/strict-json.js';
import type { SourceProblem } from '../source.entity.js';
import { IntList } from './int-list.js';
import { sourceAccountIdOf, audienceIdOf, isSourceId, readerSetIdOf, sourceGroupIdOf } from './source-ids.js';

const maxProblems = 100;
const maxSets = 100;

export interface DraftAccount {
  number: number;
  id: string;
  externalId: string;
  name: string;
  email: string | null;
}
interface DraftGroup {
  number: number;
  id: string;
  externalId: string;
}
export interface DraftAudience {
  id: string;
  externalId: string;
  title: string;
  url: string | null;
  rule: string;
  readers: 'everyone' | 'unreadable' | 'sets';
  setIds: string[];
}
/** Null if a group or an audience refers to it and the source has not listed it yet. */
type Referenced<T> = T | null;

/**
 * Collects a roster while it is read. Accounts and groups that are referred to but not listed grant no access and are
 * reported as problems.
 */
export class RosterDraft {
  private readonly accountNumbers = new Map<string, number>();
  private readonly groupNumbers = new Map<string, number>();
  private readonly accounts: Referenced<DraftAccount>[] = [];
  private readonly groups: Referenced<DraftGroup>[] = [];
  /** With a digest of the entry, including its readers, to detect a conflicting repetition. */
  private readonly audiencesById = new Map<string, { audience: DraftAudience; digest: string }>();
  readonly memberships = { groups: new IntList(), accounts: new IntList() };
  readonly setIds: string[] = [];
  readonly setAudienceIds: string[] = [];
  /** The accounts and groups in each set. Groups have negative numbers: -1 is the first group. */
  readonly readers = { sets: new IntList(), holders: new IntList() };
  private readonly ownProblems: SourceProblem[] = [];

  constructor(private readonly connectionId: string) {}

  add(entry: RosterEntry): void {
    if ('account' in entry) this.addAccount(entry.account);
    else if ('group' in entry) this.addGroup(entry.group);
    else this.addAudience(entry.audience);
  }

  get listedAccounts(): DraftAccount[] {
    return this.accounts.filter((account) => account !== null);
  }

  get listedGroups(): DraftGroup[] {
    return this.groups.filter((group) => group !== null);
  }

  get audiences(): DraftAudience[] {
    return [...this.audiencesById.values()].map(({ audience }) => audience);
  }

  get problems(): SourceProblem[] {
    const unlisted = (numbers: Map<string, number>, listed: Referenced<object>[], what: string): SourceProblem[] =>
      [...numbers].flatMap(([externalId, number]) =>
        listed[number] ? [] : [{ externalId, reason: `is a ${what} that the source refers to but does not list` }],
      );
    return [
      ...this.ownProblems,
      ...unlisted(this.groupNumbers, this.groups, 'group'),
      ...unlisted(this.accountNumbers, this.accounts, 'account'),
    ].slice(0, maxProblems);
  }

  private addAccount({ id: externalId, name, email }: SourceAccount): void {
    const number = this.accountNumber(externalId);
    const address = email === undefined ? null : normalizeEmail(email);
    if (email && !address) this.ownProblems.push({ externalId, reason: 'has an invalid email address' });
    this.accounts[number] = {
      number,
      id: sourceAccountIdOf(this.connectionId, externalId),
      externalId,
      name: storable(name, 200) || externalId,
      email: address,
    };
  }

  /** The source may list a group in several parts. */
  private addGroup({ id: externalId, accounts }: SourceGroup): void {
    const number = this.groupNumber(externalId);
    this.groups[number] ??= { number, id: sourceGroupIdOf(this.connectionId, externalId), externalId };
    for (const account of accounts) {
      this.memberships.groups.push(number);
      this.memberships.accounts.push(this.accountNumber(account));
    }
  }

  private addAudience(source: SourceAudience): void {
    const externalId = requireId(source.id);
    const digest = digestOf(source);
    const known = this.audiencesById.get(externalId);
    if (known?.digest === digest) return;
    if (known) {
      // it changed during the listing, so no one gets access until the next roster
      Object.assign(known.audience, { readers: 'unreadable', setIds: [] });
      this.ownProblems.push({
        externalId,
        reason: 'is an audience that the source lists twice with different contents',
      });
      return;
    }
    const audience = this.audienceOf(externalId, source);
    this.audiencesById.set(externalId, { audience, digest });
    if (audience.readers === 'sets') this.addSets(audience, source.readers as readonly ReaderSet[]);
  }

  private audienceOf(externalId: string, { title, url, rule, readers }: SourceAudience): DraftAudience {
    const isReadable = typeof readers === 'string' || (readers.length > 0 && readers.length <= maxSets);
    if (!isReadable)
      this.ownProblems.push({ externalId, reason: `is an audience with no reader sets, or more than ${maxSets}` });
    return {
      id: audienceIdOf(this.connectionId, externalId),
      externalId,
      title: storable(title, 300) || externalId,
      url: url && /^https?:\/\//.test(url) ? storable(url, 2000) : null,
      rule: storable(rule, 1000),
      readers: !isReadable ? 'unreadable' : typeof readers === 'string' ? readers : 'sets',
      setIds: [],
    };
  }

  private addSets(audience: DraftAudience, sets: readonly ReaderSet[]): void {
    sets.forEach(({ accounts = [], groups = [] }, position) => {
      const set = this.setIds.length;
      const id = readerSetIdOf(audience.id, position);
      this.setIds.push(id);
      this.setAudienceIds.push(audience.id);
      audience.setIds.push(id);
      for (const account of accounts) this.addReader(set, this.accountNumber(account));
      for (const group of groups) this.addReader(set, -1 - this.groupNumber(group));
    });
  }

  private addReader(set: number, holder: number): void {
    this.readers.sets.push(set);
    this.readers.holders.push(holder);
  }

  private accountNumber(externalId: string): number {
    return numberOf(externalId, this.accountNumbers, this.accounts);
  }

  private groupNumber(externalId: string): number {
    return numberOf(externalId, this.groupNumbers, this.groups);
  }
}

function numberOf(externalId: string, numbers: Map<string, number>, listed: Referenced<object>[]): number {
  const known = numbers.get(externalId);
  if (known !== undefined) return known;
  numbers.set(requireId(externalId), listed.length);
  return listed.push(null) - 1;
}

function requireId(id: string): string {
  if (isSourceId(id)) return id;
  throw new Error('The roster of the source has an id that is empty, too long or not text.');
}

/** A title may be cut in the middle of a character. */
function digestOf(audience: SourceAudience): string {
  const copy: unknown = JSON.parse(JSON.stringify(audience), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
  return sha256(canonicalJson(copy)).toString('base64');
}

const storable = (text: string, most: number): string => text.replaceAll('\0', '').trim().slice(0, most).toWellFormed();
