import { z } from 'zod';
import type { OwnUsageReport } from '../spend/reports/own-usage.service.js';
import { metricDescriptions } from '../spend/reports/spend-metrics.entity.js';
import type { SpendFigures } from '../spend/reports/spend-report.entity.js';
import { nextCursorSchema } from '../rest/schemas.js';

/* The wire format of the caller's own usage. */

export const daySchema = z.iso.date('has to be a date such as 2026-11-20').meta({ description: 'A day in UTC' });
const dayRanges = (description: string) => z.array(z.object({ from: daySchema, to: daySchema })).meta({ description });
const centsSchema = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}, in cents as an exact decimal number`, examples: ['1203.5125'] });
const rateSchema = (description: string) => z.number().nullable().meta({ description });

const usageMetricsSchema = z
  .object(
    Object.fromEntries(
      Object.entries(metricDescriptions).map(([name, description]) => [
        name,
        z.number().nullable().meta({ description }),
      ]),
    ) as Record<keyof typeof metricDescriptions, z.ZodNullable<z.ZodNumber>>,
  )
  .meta({ id: 'UsageMetrics', description: 'Counted usage. Null means unknown; 0 means none.' });

const figureFields = {
  metrics: usageMetricsSchema,
  chargedCents: centsSchema('Total cost, regardless of who pays'),
  includedCents: centsSchema('Cost covered by the subscription'),
  usageBasedCents: centsSchema('Usage-based cost'),
  tabAcceptanceRate: rateSchema('Share of shown completions that were accepted'),
  applyAcceptanceRate: rateSchema('Share of decided changes that were accepted'),
  centsPerAcceptedLine: centsSchema('Cost per accepted added line'),
};

export const usageSchema = z
  .object({
    from: daySchema,
    to: daySchema,
    dataSince: daySchema.nullable().meta({ description: 'The first day with data' }),
    provisional: dayRanges('Days that are incomplete or that the vendor may still correct'),
    pending: dayRanges('Days that are not synced yet'),
    lost: dayRanges('Days that the vendor no longer reports'),
    total: z.object(figureFields).meta({ id: 'UsageFigures', description: 'Figures of the whole range' }),
    periods: z
      .array(z.object({ from: daySchema, to: daySchema, ...figureFields }).meta({ id: 'UsagePeriod' }))
      .meta({ description: 'Newest first; periods without usage are omitted' }),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'Usage', description: 'Your usage of AI assistants.' });

const toApiFigures = (own: SpendFigures): z.output<z.ZodObject<typeof figureFields>> => ({
  metrics: own.metrics,
  chargedCents: own.chargedCents,
  includedCents: own.includedCents,
  usageBasedCents: own.usageBasedCents,
  tabAcceptanceRate: own.tabAcceptanceRate,
  applyAcceptanceRate: own.applyAcceptanceRate,
  centsPerAcceptedLine: own.centsPerAcceptedLine,
});

export const toApiUsage = (
  range: { from: string; to: string },
  report: OwnUsageReport,
): z.output<typeof usageSchema> => ({
  ...range,
  dataSince: report.dataSince,
  provisional: report.provisional,
  pending: report.pending,
  lost: report.lost,
  total: toApiFigures(report.total),
  periods: report.periods.map(({ from, to, ...own }) => ({ from, to, ...toApiFigures(own) })),
  nextCursor: report.pageInfo.hasNextPage ? report.pageInfo.endCursor : null,
});
