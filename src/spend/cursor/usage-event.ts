import { ExactSum } from '../exact-sum.js';
import type { Tokens } from '../usage-row.js';
import type { Charge } from './charge-groups.js';
import { identityOf, serviceAccountOf } from './cursor-identities.js';
import { isObject } from './parse-answer.js';
import type { ReadingNotes } from './reading-notes.js';
import { RowFields } from './row-fields.js';

const sources: Record<Tokens, string> = {
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
  cache_read_tokens: 'cacheReadTokens',
  cache_creation_tokens: 'cacheWriteTokens',
};
const knownTokens = new Set([...Object.values(sources), 'totalCents', 'discountPercentOff']);
const known = new Set([
  ...['timestamp', 'userEmail', 'userId', 'model', 'kind', 'maxMode', 'requestsCosts', 'isTokenBasedCall'],
  ...['isChargeable', 'isHeadless', 'tokenUsage', 'chargedCents', 'cursorTokenFee', 'conversationId'],
  ...['serviceAccountId', 'serviceAccountName', 'cloudAgentId', 'automationId', 'hostingType'],
]);

/** One usage event between two times; null, and a fault, where it cannot be told when it was. */
export function readEvent(row: unknown, index: number, between: [number, number], notes: ReadingNotes): Charge | null {
  if (!isObject(row)) {
    notes.fault(index, 'is no object');
    return null;
  }
  const fields = new RowFields(row);
  const time = fields.time('timestamp');
  if (time === null) fields.faults.push('has no time');
  const isAsked = time !== null && time >= between[0] && time <= between[1];
  if (time !== null && !isAsked) fields.faults.push(`${new Date(time).toISOString()} was not asked for`);
  const charge = isAsked ? chargeOf(fields, row, notes) : null;
  if (charge) notes.read();
  if (fields.faults.length) notes.fault(index, fields.faults.join(', '));
  notes.fields(row, known);
  return charge;
}

function chargeOf(fields: RowFields, row: Record<string, unknown>, notes: ReadingNotes): Charge {
  const isIncluded = isIncludedIn(fields);
  const chargedCents = fields.decimal('chargedCents');
  if (chargedCents === null && !isIncluded && !fields.faults.length) fields.faults.push('has no chargedCents');
  const usage = new RowFields(isObject(row.tokenUsage) ? row.tokenUsage : {});
  if (isObject(row.tokenUsage)) notes.fields(row.tokenUsage, knownTokens, 'tokenUsage.');
  const charge = {
    identity: serviceAccountOf(fields) ?? identityOf(fields, { email: 'userEmail', id: 'userId' }),
    model: fields.text('model', 100) ?? 'unknown',
    isIncluded,
    tokens: tokensOf(usage),
    chargedCents,
    listCents: listOf(fields, usage) ?? chargedCents,
    requestUnits: fields.decimal('requestsCosts'),
  };
  fields.faults.push(...usage.faults.map((fault) => `tokenUsage.${fault}`));
  return charge;
}

/** `chargedCents` is above zero for included events as well: it is what they are worth. */
function isIncludedIn(fields: RowFields): boolean {
  const isChargeable = fields.flag('isChargeable');
  if (isChargeable !== null) return !isChargeable;
  const isIncluded = /^included\b/i.test(fields.text('kind') ?? '');
  if (!isIncluded) fields.faults.push('does not say whether it is chargeable');
  return isIncluded;
}

function tokensOf(usage: RowFields): Charge['tokens'] {
  return {
    input_tokens: usage.tokens(sources.input_tokens),
    output_tokens: usage.tokens(sources.output_tokens),
    cache_read_tokens: usage.tokens(sources.cache_read_tokens),
    cache_creation_tokens: usage.tokens(sources.cache_creation_tokens),
  };
}

/** Before discounts: what the model costs, and Cursor's own fee. */
function listOf(fields: RowFields, usage: RowFields): string | null {
  const total = usage.decimal('totalCents');
  if (total === null) return null;
  return new ExactSum(total).add(fields.decimal('cursorTokenFee') ?? '0').toString();
}
