import type { Day } from '../../platform/time/day.js';
import { ExactSum } from '../exact-sum.js';
import { type ChargeRow, type TokenMetric, tokenMetrics } from '../usage-row.js';
import { type VendorIdentity, identityKey } from '../../people/vendor-identity.port.js';

/** The charge of one event. Null means unknown. */
export interface Charge {
  identity: VendorIdentity;
  model: string;
  isIncluded: boolean;
  tokens: Record<TokenMetric, number | null>;
  chargedCents: string | null;
  listCents: string | null;
  requestUnits: string | null;
}

const chargeAmounts = ['chargedCents', 'listCents', 'requestUnits'] as const;

class ChargeGroup {
  private events = 0;
  private readonly tokens: Partial<Record<TokenMetric, number>> = {};
  private readonly sums: Partial<Record<(typeof chargeAmounts)[number], ExactSum>> = {};

  constructor(private readonly first: Charge) {}

  add(charge: Charge): void {
    this.events++;
    for (const name of tokenMetrics) {
      const count = charge.tokens[name];
      if (count !== null) this.tokens[name] = (this.tokens[name] ?? 0) + count;
    }
    for (const name of chargeAmounts) {
      const amount = charge[name];
      if (amount !== null) this.sums[name] = (this.sums[name] ?? new ExactSum()).add(amount);
    }
  }

  row(day: Day): ChargeRow {
    const { identity, model, isIncluded } = this.first;
    const row = { day, identity, model, isIncluded, events: this.events };
    const [chargedCents, listCents, requestUnits] = chargeAmounts.map((name) => this.sums[name]?.toString() ?? null);
    const counted = Object.fromEntries(tokenMetrics.map((name) => [name, this.tokens[name] ?? null]));
    return { ...row, ...counted, chargedCents, listCents, requestUnits };
  }
}

/** Sums the events of a day by user, model and payment type. Events are not stored: the vendor gives them no ids. */
export class ChargeGroups {
  private readonly groups = new Map<string, ChargeGroup>();

  add(charge: Charge): void {
    const key = `${identityKey(charge.identity)}\n${charge.model}\n${charge.isIncluded}`;
    let group = this.groups.get(key);
    if (!group) this.groups.set(key, (group = new ChargeGroup(charge)));
    group.add(charge);
  }

  rows(day: Day): ChargeRow[] {
    return [...this.groups.values()].map((group) => group.row(day));
  }
}
