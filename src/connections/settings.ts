import type { InvalidField } from '../platform/errors/problem.js';
import type { ConnectorField, Connector } from './connector-registry.service.js';

export type Settings = Record<string, unknown>;
/** null clears one; what is not named stays as it is. */
export type SecretChanges = Record<string, string | null>;

const maxSettingLength = 2000;
const maxListLength = 100;

/** Faults of what a person entered, each with a JSON pointer into the mutation's input. */
export function settingsFaults(connector: Connector, settings: Settings): InvalidField[] {
  const fields = connector.fields.filter((field) => field.type !== 'secret');
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(settings)
    .filter((name) => !known.has(name))
    .map((name) => ({
      pointer: `/settings/${name}`,
      detail: `the kind "${connector.id}" has no setting of this name`,
    }));
  const wrong = fields.flatMap((field) => {
    const detail = settingFault(field, settings[field.name]);
    return detail ? [{ pointer: `/settings/${field.name}`, detail }] : [];
  });
  const faults = [...unknown, ...wrong];
  return faults.length ? faults : (connector.check?.(settings) ?? []);
}

export function secretFaults(connector: Connector, secrets: SecretChanges, isComplete: boolean): InvalidField[] {
  const fields = connector.fields.filter((field) => field.type === 'secret');
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.entries(secrets).flatMap(([name, value]) => {
    if (!known.has(name))
      return [{ pointer: `/secrets/${name}`, detail: `the kind "${connector.id}" has no credential of this name` }];
    const isUsable =
      value === null ||
      (typeof value === 'string' && value.length > 0 && value.length <= 8192 && !/[\0\r\n]/.test(value.trim()));
    return isUsable
      ? []
      : [{ pointer: `/secrets/${name}`, detail: 'is a text of at most 8192 characters on one line' }];
  });
  const missing = fields
    .filter((field) => isComplete && field.required && !secrets[field.name])
    .map((field) => ({ pointer: `/secrets/${field.name}`, detail: `${field.label} is needed` }));
  return [...unknown, ...missing];
}

function settingFault(field: ConnectorField, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return field.required ? `${field.label} is needed` : null;
  switch (field.type) {
    case 'url':
      return urlFault(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && value >= 0
        ? null
        : 'is a number that is not negative';
    case 'list':
      return Array.isArray(value) && value.length <= maxListLength && value.every(isText)
        ? null
        : `is a list of at most ${maxListLength} texts`;
    case 'choice':
      return field.options?.includes(value as string)
        ? null
        : `is one of: ${field.options?.join(', ') || 'nothing that the operator offers'}`;
    default:
      return isText(value) ? null : `is a text of at most ${maxSettingLength} characters`;
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxSettingLength && value.isWellFormed() && !value.includes('\0');

function urlFault(value: unknown): string | null {
  if (!isText(value) || !URL.canParse(value)) return 'is a complete address such as https://example.com/mcp';
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'starts with https:// or http://';
  if (url.username || url.password) return 'must not hold a user name or password; they belong into their own fields';
  return url.hash ? 'must not hold a fragment (#…)' : null;
}

/** undefined leaves a setting as it is, null removes it. */
export const mergedSettings = (before: Settings, changes: Settings): Settings =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(
      ([, value]) => value !== null && value !== undefined && value !== '',
    ),
  );

/** For the records: an address may carry a key behind its "?", and what is recorded is never taken back. */
export const withoutQueries = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, withoutQuery(value)]));

function withoutQuery(value: Settings[string]): Settings[string] {
  if (typeof value !== 'string' || !/^https?:/i.test(value) || !URL.canParse(value)) return value;
  const { origin, pathname } = new URL(value);
  return origin + pathname;
}
