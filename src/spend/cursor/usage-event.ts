import { ExactSum } from '../exact-sum.js';
import type { TokenMetric } from '../usage-row.js';
import type { Charge } from './charge-groups.js';
import { cursorIdentityOf, serviceAccountOf } from './cursor-identities.js';
import { isPlainObject } from './parse-response.js';
import type { RowDiagnosticsCollector } from './row-diagnostics-collector.js';
import { RowFields } from './row-fields.js';

const sources: Record<TokenMetric, string> = {
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
  cache_read_tokens: 'cacheReadTokens',
  cache_creation_tokens: 'cacheWriteTokens',
};
const knownTokenFields = new Set([...Object.values(sources), 'totalCents', 'discountPercentOff']);
const knownEventFields = new Set([
  ...['timestamp', 'userEmail', 'userId', 'model', 'kind', 'maxMode', 'requestsCosts', 'isTokenBasedCall'],
  ...['isChargeable', 'isHeadless', 'tokenUsage', 'chargedCents', 'cursorTokenFee', 'conversationId'],
  ...['serviceAccountId', 'serviceAccountName', 'cloudAgentId', 'automationId', 'hostingType'],
]);

/** Parses a usage event within the time range. Returns null and records a fault if the time is missing or outside. */
export function parseUsageEvent(
  row: unknown,
  index: number,
  between: [number, number],
  notes: RowDiagnosticsCollector,
): Charge | null {
  if (!isPlainObject(row)) {
    notes.addFault(index, 'is not an object');
    return null;
  }
  const fields = new RowFields(row);
  const time = fields.time('timestamp');
  if (time === null) fields.faults.push('has no time');
  const isInRange = time !== null && time >= between[0] && time <= between[1];
  if (time !== null && !isInRange) fields.faults.push(`${new Date(time).toISOString()} was not requested`);
  const charge = isInRange ? chargeOf(fields, row, notes) : null;
  if (charge) notes.countReadable();
  if (fields.faults.length) notes.addFault(index, fields.faults.join(', '));
  notes.countUnknownFields(row, knownEventFields);
  return charge;
}

function chargeOf(fields: RowFields, row: Record<string, unknown>, notes: RowDiagnosticsCollector): Charge {
  const isIncluded = isIncludedIn(fields);
  const chargedCents = fields.decimal('chargedCents');
  if (chargedCents === null && !isIncluded && !fields.faults.length) fields.faults.push('has no chargedCents');
  const usage = new RowFields(isPlainObject(row.tokenUsage) ? row.tokenUsage : {});
  if (isPlainObject(row.tokenUsage)) notes.countUnknownFields(row.tokenUsage, knownTokenFields, 'tokenUsage.');
  const charge = {
    identity: serviceAccountOf(fields) ?? cursorIdentityOf(fields, { email: 'userEmail', id: 'userId' }),
    model: fields.text('model', 100) ?? 'unknown',
    isIncluded,
    tokens: tokensOf(usage),
    chargedCents,
    listCents: listCentsOf(fields, usage) ?? chargedCents,
    requestUnits: fields.decimal('requestsCosts'),
  };
  fields.faults.push(...usage.faults.map((fault) => `tokenUsage.${fault}`));
  return charge;
}

/** `chargedCents` is above zero even for included events: it is their value. */
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

/** Before discounts: the cost of the model plus Cursor's fee. */
function listCentsOf(fields: RowFields, usage: RowFields): string | null {
  const total = usage.decimal('totalCents');
  if (total === null) return null;
  return new ExactSum(total).add(fields.decimal('cursorTokenFee') ?? '0').toString();
}
