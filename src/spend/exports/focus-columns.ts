import { plusDays } from '../../platform/time/day.js';
import { tokenMetrics, type TokenMetric } from '../usage-row.js';
import { billingPeriod } from './billing-period.js';
import type { CsvColumn } from '../../platform/http/csv.js';
import type { ExportRow } from './usage-columns.js';

export interface ChargeExportRow extends ExportRow, Record<TokenMetric, string | null> {
  model: string;
  is_included: boolean;
  /** The day of the month on which the vendor's billing cycle begins, if known. */
  cycle_day: number | null;
  events: string;
  charged_cents: string | null;
  request_units: string | null;
  /** In dollars, exact. */
  cost: string;
  list_cost: string;
}

const midnight = (day: string) => `${day}T00:00:00Z`;
const period = ({ day, cycle_day }: ChargeExportRow) => billingPeriod(day, cycle_day ?? 1);

function totalTokens(row: ChargeExportRow): string | null {
  const known = tokenMetrics.flatMap((name) => row[name] ?? []);
  return known.length ? String(known.reduce((total, count) => total + BigInt(count), 0n)) : null;
}

function tagsOf({ cost_centre, group_name }: ChargeExportRow): string | null {
  if (cost_centre === null && group_name === null) return null;
  return JSON.stringify({
    ...(cost_centre !== null && { cost_centre }),
    ...(group_name !== null && { group: group_name }),
  });
}

/**
 * FOCUS 1.2 (FinOps Open Cost and Usage Specification): a row per day, person, model and payment type. Contains all
 * mandatory columns, the conditional ones that apply, and custom columns with the prefix `x_`. docs/spend.md explains
 * each column. `nameOf` returns the display name of a connector's vendor.
 */
export function focusColumns(nameOf: (vendor: string) => string): readonly CsvColumn<ChargeExportRow>[] {
  const vendorName = ({ vendor }: ChargeExportRow) => nameOf(vendor);
  return [
    { name: 'BilledCost', number: ({ is_included, cost }) => (is_included ? '0' : cost) },
    { name: 'BillingAccountId', text: ({ connection_id }) => connection_id },
    { name: 'BillingAccountName', text: ({ connection }) => connection },
    { name: 'BillingCurrency', text: () => 'USD' },
    { name: 'BillingPeriodEnd', text: (row) => midnight(period(row).end) },
    { name: 'BillingPeriodStart', text: (row) => midnight(period(row).start) },
    { name: 'ChargeCategory', text: () => 'Usage' },
    { name: 'ChargeClass', text: () => null },
    {
      name: 'ChargeDescription',
      text: ({ model, is_included }) =>
        `${model}: ${is_included ? 'usage included in the subscription' : 'usage charged in addition to the subscription'}`,
    },
    { name: 'ChargeFrequency', text: () => 'Usage-Based' },
    { name: 'ChargePeriodEnd', text: ({ day }) => midnight(plusDays(day, 1)) },
    { name: 'ChargePeriodStart', text: ({ day }) => midnight(day) },
    { name: 'ConsumedQuantity', number: (row) => totalTokens(row) ?? row.events },
    { name: 'ConsumedUnit', text: (row) => (totalTokens(row) === null ? 'Requests' : 'Tokens') },
    { name: 'ContractedCost', number: ({ cost }) => cost },
    { name: 'EffectiveCost', number: ({ cost }) => cost },
    { name: 'InvoiceIssuerName', text: vendorName },
    { name: 'ListCost', number: ({ list_cost }) => list_cost },
    { name: 'PricingCategory', text: () => 'Standard' },
    { name: 'PricingQuantity', number: ({ request_units, events }) => request_units ?? events },
    { name: 'PricingUnit', text: () => 'Requests' },
    { name: 'ProviderName', text: vendorName },
    { name: 'PublisherName', text: vendorName },
    { name: 'ResourceId', text: ({ key }) => key },
    { name: 'ResourceName', text: ({ person }) => person },
    { name: 'ResourceType', text: ({ key, is_service }) => key && (is_service ? 'Service account' : 'Person') },
    { name: 'ServiceCategory', text: () => 'AI and Machine Learning' },
    { name: 'ServiceName', text: vendorName },
    { name: 'ServiceSubcategory', text: () => 'Generative AI' },
    { name: 'SkuId', text: ({ model }) => model },
    { name: 'SkuMeter', text: () => 'Model usage' },
    { name: 'SubAccountId', text: ({ group_id }) => group_id },
    { name: 'SubAccountName', text: ({ group_name }) => group_name },
    { name: 'SubAccountType', text: ({ group_id }) => group_id && 'Group' },
    { name: 'Tags', text: tagsOf },
    { name: 'x_Included', text: ({ is_included }) => String(is_included) },
    { name: 'x_CostKnown', text: ({ charged_cents }) => String(charged_cents !== null) },
    { name: 'x_Events', number: ({ events }) => events },
    { name: 'x_InputTokens', number: ({ input_tokens }) => input_tokens },
    { name: 'x_OutputTokens', number: ({ output_tokens }) => output_tokens },
    { name: 'x_CacheReadTokens', number: ({ cache_read_tokens }) => cache_read_tokens },
    { name: 'x_CacheCreationTokens', number: ({ cache_creation_tokens }) => cache_creation_tokens },
    { name: 'x_DayState', text: ({ state }) => state },
  ];
}
