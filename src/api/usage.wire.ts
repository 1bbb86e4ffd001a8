import { z } from 'zod';
import type { OwnUsageReport } from '../spend/reports/own-usage.service.js';
import { metricWords } from '../spend/reports/spend-metrics.entity.js';
import type { SpendFigures } from '../spend/reports/spend-report.entity.js';
import { nextCursor } from './schemas.js';

/* One's own usage, on the wire. */

export const day = z.iso.date('has to be a day, as 2026-11-20').meta({ description: 'A day in UTC' });
const days = (description: string) => z.array(z.object({ from: day, to: day })).meta({ description });
const cents = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}, in cents: an exact decimal number`, examples: ['1203.5125'] });
const rate = (description: string) => z.number().nullable().meta({ description });

const metrics = z
  .object(
    Object.fromEntries(
      Object.entries(metricWords).map(([name, description]) => [name, z.number().nullable().meta({ description })]),
    ) as Record<keyof typeof metricWords, z.ZodNullable<z.ZodNumber>>,
  )
  .meta({ id: 'UsageMetrics', description: 'What was counted. Null: nobody knows, which 0 is not.' });

const figures = {
  metrics,
  chargedCents: cents('What it cost, whoever paid for it'),
  includedCents: cents('The part that the subscription covers'),
  usageBasedCents: cents('The part that is charged on top'),
  tabAcceptanceRate: rate('Accepted completions of those shown'),
  applyAcceptanceRate: rate('Kept changes of those kept or thrown away'),
  centsPerAcceptedLine: cents('What each accepted line added cost'),
};

export const usage = z
  .object({
    from: day,
    to: day,
    dataSince: day.nullable().meta({ description: 'The first day that anything is known of' }),
    provisional: days('Days that are being filled, or that the vendor still corrects'),
    pending: days('Days that were not read yet'),
    lost: days('Days that the vendor no longer tells'),
    total: z.object(figures).meta({ id: 'UsageFigures', description: 'Of the whole range' }),
    periods: z
      .array(z.object({ from: day, to: day, ...figures }).meta({ id: 'UsagePeriod' }))
      .meta({ description: 'Newest first; days without any usage are left out' }),
    nextCursor,
  })
  .meta({ id: 'Usage', description: 'What you used of AI assistants.' });

const figuresOnWire = (own: SpendFigures): z.output<z.ZodObject<typeof figures>> => ({
  metrics: own.metrics,
  chargedCents: own.chargedCents,
  includedCents: own.includedCents,
  usageBasedCents: own.usageBasedCents,
  tabAcceptanceRate: own.tabAcceptanceRate,
  applyAcceptanceRate: own.applyAcceptanceRate,
  centsPerAcceptedLine: own.centsPerAcceptedLine,
});

export const usageOnWire = (range: { from: string; to: string }, report: OwnUsageReport): z.output<typeof usage> => ({
  ...range,
  dataSince: report.dataSince,
  provisional: report.provisional,
  pending: report.pending,
  lost: report.lost,
  total: figuresOnWire(report.total),
  periods: report.periods.map(({ from, to, ...own }) => ({ from, to, ...figuresOnWire(own) })),
  nextCursor: report.pageInfo.hasNextPage ? report.pageInfo.endCursor : null,
});
