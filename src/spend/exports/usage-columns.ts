import { metrics, metricUnits, type Metric } from '../usage-row.js';
import type { CsvColumn } from '../../platform/http/csv.js';

/** The subject of a row: a person, or all people of a group and cost centre who are not shown individually. */
export interface ExportRow {
  day: string;
  connection_id: string;
  connection: string;
  vendor: string;
  group_id: string | null;
  group_name: string | null;
  cost_centre: string | null;
  key: string | null;
  person: string | null;
  email: string | null;
  is_service: boolean | null;
  state: string | null;
}

export interface UsageExportRow extends ExportRow, Record<Metric, string | null> {
  people: number;
  charged_cents: string | null;
  included_cents: string | null;
  request_units: string | null;
}

/** `usage.csv`: a row per day and person, or group and cost centre. Never reuse a column name with another meaning. */
export const usageColumns: readonly CsvColumn<UsageExportRow>[] = [
  { name: 'day', text: ({ day }) => day },
  { name: 'connection', text: ({ connection }) => connection },
  { name: 'person_id', text: ({ key }) => key },
  { name: 'person', text: ({ person }) => person },
  { name: 'email', text: ({ email }) => email },
  { name: 'group', text: ({ group_name }) => group_name },
  { name: 'cost_centre', text: ({ cost_centre }) => cost_centre },
  { name: 'people', number: ({ people }) => people },
  ...metrics.map((metric) => ({
    name: `${metric} (${metricUnits[metric]})`,
    number: (row: UsageExportRow) => row[metric],
  })),
  { name: 'charged_cents', number: ({ charged_cents }) => charged_cents },
  { name: 'included_cents', number: ({ included_cents }) => included_cents },
  { name: 'request_units', number: ({ request_units }) => request_units },
  { name: 'day_state', text: ({ state }) => state },
];

export interface CoverageExportRow {
  day: string;
  connection: string;
  stream: string;
  state: string;
  reason: string | null;
  pulled_at: string | null;
  rows: number | null;
  vendor_total: number | null;
  faulty_rows: number;
  unknown_fields: number;
  revision: number;
}

/** `coverage.csv`: the state of each day. Lost days have no rows in other exports. */
export const coverageColumns: readonly CsvColumn<CoverageExportRow>[] = [
  { name: 'day', text: ({ day }) => day },
  { name: 'connection', text: ({ connection }) => connection },
  { name: 'stream', text: ({ stream }) => stream },
  { name: 'state', text: ({ state }) => state },
  { name: 'pulled_at', text: ({ pulled_at }) => pulled_at },
  { name: 'rows', number: ({ rows }) => rows },
  { name: 'vendor_total', number: ({ vendor_total }) => vendor_total },
  { name: 'faulty_rows', number: ({ faulty_rows }) => faulty_rows },
  { name: 'unknown_fields', number: ({ unknown_fields }) => unknown_fields },
  { name: 'revision', number: ({ revision }) => revision },
  { name: 'reason', text: ({ reason }) => reason },
];
