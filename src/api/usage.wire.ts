import { z } from 'zod';
import type { OwnUsageReport } from '../spend/reports/own-usage.service.js';
import { metricDescriptions } from '../spend/reports/spend-metrics.entity.js';
import type { SpendFigures } from '../spend/reports/spend-report.entity.js';
import { nextCursorSchema } from './schemas.js';

/* One's own usage, on the wire. */

export const daySchema = z.iso.date('has to be a day, as 2026-11-20').meta({ description: 'A day in UTC' });
const dayRanges = (description: string) => z.array(z.object({ from: daySchema, to: daySchema })).meta({ description });
const centsSchema = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}, in cents: an exact decimal number`, examples: ['1203.5125'] });
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
  .meta({ id: 'UsageMetrics', description: 'What was counted. Null: nobody knows, which 0 is not.' });

const figureFields = {
  metrics: usageMetricsSchema,
  chargedCents: centsSchema('What it cost, whoever paid for it'),
  includedCents: centsSchema('The part that the subscription covers'),
  usageBasedCents: centsSchema('The part that is charged on top'),
  tabAcceptanceRate: rateSchema('Accepted completions of those shown'),
  applyAcceptanceRate: rateSchema('Kept changes of those kept or thrown away'),
  centsPerAcceptedLine: centsSchema('What each accepted line added cost'),
};

export const usageSchema = z
  .object({
    from: daySchema,
    to: daySchema,
    dataSince: daySchema.nullable().meta({ description: 'The first day that anything is known of' }),
    provisional: dayRanges('Days that are being filled, or that the vendor still corrects'),
    pending: dayRanges('Days that were not read yet'),
    lost: dayRanges('Days that the vendor no longer tells'),
    total: z.object(figureFields).meta({ id: 'UsageFigures', description: 'Of the whole range' }),
    periods: z
      .array(z.object({ from: daySchema, to: daySchema, ...figureFields }).meta({ id: 'UsagePeriod' }))
      .meta({ description: 'Newest first; days without any usage are left out' }),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'Usage', description: 'What you used of AI assistants.' });

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
