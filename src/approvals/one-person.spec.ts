import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Independence, type Introduction, type Vouch } from '../access/independence/independence.service.js';
import { type EligibilityFacts, eligibleDeciders, remainingDeciders } from './tier.js';

/**
 * A random history of an organization in which an attacker controls as many accounts as possible. Honest people use
 * only their own account, give links to the right person, consent to clients, and vouch only for accounts of other real
 * people.
 */
const kinds = [
  'invite',
  'reset',
  'configure-provider',
  'link-identity',
  'suspend',
  'reactivate',
  'vouch',
  'register-client',
  'rotate-secret',
  'create-key',
  'reveal-key',
  'expire-key',
  'request',
  'request',
  'request',
] as const;
interface Step {
  kind: (typeof kinds)[number];
  actor: number;
  target: number;
  thing: number;
  isHandedOver: boolean;
}
const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  actor: fc.nat(11),
  target: fc.nat(11),
  thing: fc.nat(2),
  isHandedOver: fc.boolean(),
});

interface Account {
  id: string;
  isActive: boolean;
  joinedAt: number;
  /** The attacker could sign in to it. */
  isTheirs: boolean;
  issuers: Set<number>;
}
interface Requested {
  requesters: string[];
  deciders: string[];
  acting: () => string[];
  at: number;
}

class History {
  private clock = 10;
  readonly accounts: Account[];
  readonly introductions: Introduction[] = [];
  readonly vouches: Vouch[] = [];
  private readonly identities: { member: string; issuer: number; at: number }[] = [];
  private readonly providerChanges: { by: string; isTheirs: boolean; issuer: number; at: number }[] = [];
  private readonly statusChanges: { by: string; member: string; at: number }[] = [];
  private readonly holders = new Map<string, Set<string>>();
  readonly requests: Requested[] = [];

  /** Three people whom the operator admitted; the first is the attacker. */
  constructor() {
    this.accounts = ['one', 'hon', 'eve'].map((id) => ({
      id,
      isActive: true,
      joinedAt: 0,
      isTheirs: id === 'one',
      issuers: new Set<number>(),
    }));
  }

  run({ kind, actor: who, target: whom, thing, isHandedOver }: Step): void {
    this.clock += 10;
    const actor = this.accounts[who % this.accounts.length];
    const target = this.accounts[whom % this.accounts.length];
    if (!actor.isActive) return;
    switch (kind) {
      case 'invite': {
        // an account may go to a real person who never learns who else knows the password
        const account = { isActive: true, joinedAt: this.clock, isTheirs: actor.isTheirs, issuers: new Set<number>() };
        const id = `m${this.accounts.length}`;
        this.accounts.push({ id, ...account });
        return this.introduce('invitation', actor.id, id);
      }
      case 'reset':
        if (actor === target || !target.isActive) return;
        if (actor.isTheirs && !isHandedOver) target.isTheirs = true;
        return this.introduce('reset', actor.id, target.id);
      case 'configure-provider':
        this.providerChanges.push({ by: actor.id, isTheirs: actor.isTheirs, issuer: thing, at: this.clock });
        return this.playProviders();
      case 'link-identity':
        target.issuers.add(thing);
        this.identities.push({ member: target.id, issuer: thing, at: this.clock });
        return this.playProviders();
      case 'suspend':
      case 'reactivate':
        if (target.isActive === (kind === 'reactivate')) return;
        target.isActive = kind === 'reactivate';
        this.statusChanges.push({ by: actor.id, member: target.id, at: this.clock });
        if (kind === 'reactivate') this.introduce('reactivation', actor.id, target.id);
        return;
      case 'vouch':
        if (actor === target || (!actor.isTheirs && target.isTheirs)) return;
        this.vouches.push({ member: target.id, by: actor.id, at: this.clock });
        return;
      case 'register-client':
      case 'rotate-secret':
        return this.know(`client ${thing}`, actor.id);
      case 'create-key':
      case 'reveal-key':
        return this.know(`agent ${thing}`, actor.id);
      case 'expire-key':
        return; // members who knew the key remain requesters
      case 'request':
        return this.request(target, thing, isHandedOver);
    }
  }

  /** The requests of the attacker that the attacker could approve alone. */
  approvedAlone(): string[] {
    return this.requests.flatMap(({ requesters: then, deciders, acting, at }) => {
      const concerned = [...then, ...deciders];
      const changers = this.statusChanges.flatMap((change) =>
        change.at > at && concerned.includes(change.member) ? [change.by] : [],
      );
      const known = this.independence();
      const requesters = [...new Set([...then, ...known.requesters(acting()), ...changers])];
      const now = { ...this.candidates(requesters, at, known), needsIndependence: true };
      return remainingDeciders(deciders, now).filter((id) => this.accounts.find((one) => one.id === id)!.isTheirs);
    });
  }

  /** Uses what the attacker controls: an account, a key of an agent, or a client that an honest member consented to. */
  private request(target: Account, thing: number, byClient: boolean): void {
    const holds = (name: string) =>
      [...(this.holders.get(name) ?? [])].some((id) => this.accounts.find((one) => one.id === id)!.isTheirs);
    const holdersOf = (name: string) => [...(this.holders.get(name) ?? [])];
    const acting = target.isTheirs
      ? () => [target.id]
      : byClient && holds(`client ${thing}`)
        ? () => [target.id, ...holdersOf(`client ${thing}`)]
        : holds(`agent ${thing}`)
          ? () => [target.id, ...holdersOf(`agent ${thing}`)]
          : null;
    if (!acting) return;
    const known = this.independence();
    const requesters = known.requesters(acting());
    const deciders = eligibleDeciders(this.candidates(requesters, this.clock, known));
    this.requests.push({ requesters, deciders, acting, at: this.clock });
  }

  private candidates(requesters: string[], at: number, known: Independence): EligibilityFacts {
    return {
      tier: 'review',
      byAgent: true,
      responsibleId: null,
      requesters,
      approvers: this.accounts.flatMap(({ id, isActive, joinedAt }) => (isActive && joinedAt < at ? [id] : [])),
      isIndependent: (id) => known.isIndependent(id, requesters),
      hasSingleMember: false,
    };
  }

  private independence(): Independence {
    const byProvider = this.identities.flatMap(({ member, issuer, at }) =>
      this.providerChanges
        .filter((change) => change.issuer === issuer)
        .map((change): Introduction => {
          return { kind: 'provider', by: change.by, member, madeAt: change.at, at: Math.max(at, change.at) };
        }),
    );
    return new Independence([...this.introductions, ...byProvider], this.vouches);
  }

  /** A person who controls a provider can sign in as every member linked to it. */
  private playProviders(): void {
    for (const account of this.accounts)
      for (const issuer of account.issuers)
        if (this.providerChanges.some((change) => change.issuer === issuer && change.isTheirs)) account.isTheirs = true;
  }

  private introduce(kind: 'invitation' | 'reset' | 'reactivation', by: string, member: string): void {
    this.introductions.push({ kind, by, member, madeAt: this.clock - 1, at: this.clock });
  }

  private know(name: string, id: string): void {
    this.holders.set(name, (this.holders.get(name) ?? new Set()).add(id));
  }
}

describe('a single person, in any history of an organization,', () => {
  it('can never approve their own request in tier "review" alone', () => {
    let requested = 0;
    let decidable = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 4, maxLength: 30 }), (steps) => {
        const history = new History();
        for (const step of steps) {
          history.run(step);
          expect(history.approvedAlone()).toEqual([]);
        }
        requested += history.requests.length;
        decidable += history.requests.filter(({ deciders }) => deciders.length).length;
      }),
      { numRuns: 3000 },
    );
    // the histories contain enough requests with and without deciders
    expect(requested).toBeGreaterThan(1000);
    expect(decidable).toBeGreaterThan(300);
  });
});
