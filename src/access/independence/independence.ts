export type IntroductionKind = 'invitation' | 'reset' | 'provider' | 'reactivation';

/** Since `at`, the person behind `by` could have used the account `member`. Times are in microseconds. */
export interface Introduction {
  member: string;
  by: string;
  kind: IntroductionKind;
  /** When `by` created the link or configured the provider. */
  madeAt: number;
  at: number;
}

/** A statement that only the member controls the account. `by` null: the operator of the server. */
export interface Vouch {
  member: string;
  by: string | null;
  at: number;
}

/**
 * Computes from introductions and vouches which accounts one person could use. `person` could use another account if
 * they introduced it, or could use an account that did, and nobody else has vouched for it since. A vouch counts only
 * if the person could not use the voucher's account at that time. For every queried member, the facts must include,
 * transitively, everyone who introduced the member or vouched for them.
 */
export class Independence {
  private readonly introductions: Map<string, Introduction[]>;
  private readonly vouches: Map<string, Vouch[]>;
  private readonly couldUseCache = new Map<string, Map<string, boolean>>();

  constructor(introductions: readonly Introduction[], vouches: readonly Vouch[]) {
    this.introductions = Map.groupBy(
      introductions.filter(({ member, by }) => member !== by),
      ({ member }) => member,
    );
    this.vouches = Map.groupBy(vouches, ({ member }) => member);
  }

  introductionsOf(member: string): readonly Introduction[] {
    return this.introductions.get(member) ?? [];
  }

  /** Other people who could use this account now. */
  peopleWithAccess(member: string, at = Infinity): string[] {
    return this.ancestors(member).filter((person) => this.couldUse(person, member, at));
  }

  /**
   * Everyone who counts as a requester when these members act: the members, everyone who introduced one of them (a
   * vouch does not change that), and everyone who could use one of their accounts.
   */
  requesters(acting: readonly string[]): string[] {
    const introducers = acting.flatMap((id) => this.introductionsOf(id).map(({ by }) => by));
    return [...new Set([...acting, ...introducers, ...acting.flatMap((id) => this.peopleWithAccess(id))])];
  }

  /** True if no requester is this member or could use this member's account. */
  isIndependent(member: string, requesters: readonly string[]): boolean {
    return !requesters.some((requester) => this.couldUse(requester, member, Infinity));
  }

  /** The introductions of a member that let this person use the account now. */
  openIntroductions(member: string, person: string): Introduction[] {
    return this.introductionsOf(member).filter((introduction) => this.isOpen(introduction, person, Infinity));
  }

  couldUse(person: string, member: string, at = Infinity): boolean {
    if (person === member) return true;
    const known = this.couldUseCache.get(person) ?? new Map<string, boolean>();
    this.couldUseCache.set(person, known);
    const cacheKey = `${member} ${at}`;
    const cached = known.get(cacheKey);
    if (cached !== undefined) return cached;
    known.set(cacheKey, true); // a circular dependency provides no independent vouch
    const could = this.introductionsOf(member).some((introduction) => this.isOpen(introduction, person, at));
    known.set(cacheKey, could);
    return could;
  }

  private isOpen(introduction: Introduction, person: string, at: number): boolean {
    const { by, madeAt, at: since } = introduction;
    if (since > at) return false;
    const isTheirs = this.couldUse(person, by, madeAt) || this.couldUse(person, by, since);
    return isTheirs && !this.isVouched(introduction, person, at);
  }

  private isVouched({ member, by, at: since }: Introduction, person: string, until: number): boolean {
    return (this.vouches.get(member) ?? []).some(
      ({ by: voucher, at }) =>
        at > since &&
        at <= until &&
        (voucher === null || (voucher !== member && voucher !== by && !this.couldUse(person, voucher, at))),
    );
  }

  private ancestors(member: string): string[] {
    const found = new Set([member]);
    // a set that grows during iteration is iterated to its new end
    for (const id of found) for (const { by } of this.introductionsOf(id)) found.add(by);
    found.delete(member);
    return [...found];
  }
}
