import { type AnyStatement, statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import { countMetrics, tokenMetrics } from '../../usage-row.js';

/** The staging table of one day of usage. */
export const stagedUsage = (day: Day): string => `staged_usage_${day.replaceAll('-', '_')}`;
export const stagedCharges = 'staged_charges';

export const createStagedUsage = statement(
  `create temporary table staged_usage (day date not null, identity int not null, ${countMetrics
    .map((name) => `${name} int`)
    .join(', ')}) partition by list (day)`,
  { roles: ['cs_bulk'] },
);
export const createStagedUsageDay = (day: Day) =>
  statement(`create temporary table ${stagedUsage(day)} partition of staged_usage for values in ('${day}')`, {
    roles: ['cs_bulk'],
  });
export const createStagedCharges = statement(
  `create temporary table ${stagedCharges} (identity int not null, model int not null,
  is_included boolean not null, events int not null, ${tokenMetrics.map((name) => `${name} bigint`).join(', ')},
  charged_cents numeric, list_cents numeric, request_units numeric)`,
  { roles: ['cs_bulk'] },
);
/** The tables that the statements of one day use. */
export const stagingTables = (day: Day): AnyStatement[] => [
  createStagedUsage,
  createStagedUsageDay(day),
  createStagedCharges,
];

export const truncateStagedCharges = statement(`truncate ${stagedCharges}`, {
  roles: ['cs_bulk'],
  temporaryTables: [createStagedCharges],
});
export const dropStaging = statement(`drop table if exists staged_usage, ${stagedCharges}`, { roles: ['cs_bulk'] });
