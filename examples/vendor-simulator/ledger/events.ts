import type { Day } from './days.ts';
import { draw, pick, skewed } from './draw.ts';
import type { Actor } from './people.ts';

/** One model call in the vendor's ledger. Money is in whole millionths of a cent, so that sums are exact. */
export interface UsageEvent {
  /** Milliseconds since 1970. */
  at: number;
  day: Day;
  actor: Actor;
  /** The person has left: the vendor no longer returns who it was. */
  isAnonymous: boolean;
  model: string;
  kind: (typeof kinds)[keyof typeof kinds];
  isChargeable: boolean;
  isHeadless: boolean;
  isMaxMode: boolean;
  conversationId?: string;
  /** Tenths of a request. */
  requestTenths: number;
  /** Undefined if the vendor counts requests instead of tokens. */
  tokens?: { input: number; output: number; cacheWrite: number; cacheRead: number };
  /** The price of the tokens before the discount. */
  totalMicrocents?: number;
  discountPercent?: number;
  feeMicrocents?: number;
  /** Undefined for failed calls, which have no price. */
  chargedMicrocents?: number;
}

export const kinds = {
  included: 'Included in Business',
  charged: 'Usage-based',
  ownKey: 'User API Key',
  failed: 'Errored, Not Charged',
} as const;

/** Prices in thousandths of a cent per thousand tokens. */
const models = [
  { name: 'quill-4', input: 300, output: 1500, cacheWrite: 375, cacheRead: 30 },
  { name: 'quill-4-thinking', input: 300, output: 1500, cacheWrite: 375, cacheRead: 30 },
  { name: 'osprey-2.1', input: 125, output: 1000, cacheWrite: 0, cacheRead: 13 },
  { name: 'osprey-2.1-mini', input: 25, output: 200, cacheWrite: 0, cacheRead: 3 },
  { name: 'tarn-flash', input: 30, output: 250, cacheWrite: 38, cacheRead: 8 },
  { name: 'default', input: 125, output: 600, cacheWrite: 125, cacheRead: 25 },
] as const;

export type Way = keyof typeof kinds | 'flat';

/** How an event is billed; `flat` is included and counted in requests instead of tokens. */
export function wayOf(drawn: number): Way {
  const hundredth = drawn % 100;
  if (hundredth < 52) return 'included';
  if (hundredth < 84) return 'charged';
  if (hundredth < 91) return 'flat';
  return hundredth < 96 ? 'ownKey' : 'failed';
}

export const modelOf = (drawn: number) => pick(models, draw(drawn, 1));

const cent = 1_000_000;

/** The fields of an event except actor and time. `drawn` determines everything; `correction` raises some prices. */
export function contentOf(drawn: number, correction: number): Omit<UsageEvent, 'at' | 'day' | 'actor' | 'isAnonymous'> {
  const model = modelOf(drawn);
  const way = wayOf(drawn);
  const isMaxMode = draw(drawn, 2) % 8 === 0;
  const head = {
    model: model.name,
    kind: way === 'flat' ? kinds.included : kinds[way],
    isChargeable: way === 'charged',
    isHeadless: draw(drawn, 3) % 20 === 0,
    isMaxMode,
    ...(draw(drawn, 4) % 3 ? { conversationId: conversation(drawn) } : {}),
    requestTenths: way === 'failed' ? 0 : isMaxMode ? 10 + (draw(drawn, 5) % 60) : 10,
  };
  if (way === 'failed') return head;
  if (way === 'flat') return { ...head, chargedMicrocents: 4 * cent * (1 + correction) };

  const tokens = {
    input: 40 + skewed(draw(drawn, 6), 60_000),
    output: 20 + skewed(draw(drawn, 7), 20_000),
    cacheWrite: model.cacheWrite ? skewed(draw(drawn, 8), 200_000) : 0,
    cacheRead: skewed(draw(drawn, 9), 2_000_000),
  };
  // tokens × thousandths of a cent per thousand tokens = millionths of a cent; multiples of 1000 survive any discount
  const exact =
    tokens.input * model.input +
    tokens.output * model.output +
    tokens.cacheWrite * model.cacheWrite +
    tokens.cacheRead * model.cacheRead;
  const totalMicrocents = Math.round(exact / 1000) * 1000 + correction * 125_000;
  if (way === 'ownKey') return { ...head, tokens, totalMicrocents, chargedMicrocents: 0 };
  const discountPercent = draw(drawn, 10) % 10 === 0 ? 15 : undefined;
  const feeMicrocents = draw(drawn, 11) % 4 ? (25 + (draw(drawn, 12) % 160)) * 10_000 : undefined;
  const chargedMicrocents = (totalMicrocents * (100 - (discountPercent ?? 0))) / 100 + (feeMicrocents ?? 0);
  return { ...head, tokens, totalMicrocents, discountPercent, feeMicrocents, chargedMicrocents };
}

function conversation(drawn: number): string {
  const hex = [13, 14, 15, 16].map((part) => draw(drawn, part).toString(16).padStart(8, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
