import type { InvalidField } from '../platform/errors/problem.js';
import type { ConnectorField, Connector } from './connector-registry.service.js';

export type Settings = Record<string, unknown>;
/** null clears a secret; an absent name leaves it unchanged. */
export type SecretChanges = Record<string, string | null>;

const maxSettingLength = 2000;
const maxListLength = 100;
const maxContainers = 5000;

/** Errors in the settings that a person entered, each with a JSON pointer into the mutation's input. */
export function settingsFaults(connector: Connector, settings: Settings): InvalidField[] {
  const fields = connector.fields.filter((field) => field.type !== 'secret');
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(settings)
    .filter((name) => !known.has(name))
    .map((name) => ({
      pointer: `/settings/${name}`,
      detail: `the connector "${connector.id}" has no setting with this name`,
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
  const fieldsByName = new Map(fields.map((field) => [field.name, field]));
  const invalid = Object.entries(secrets).flatMap(([name, value]) => {
    const field = fieldsByName.get(name);
    if (!field)
      return [
        { pointer: `/secrets/${name}`, detail: `the connector "${connector.id}" has no credential with this name` },
      ];
    const [form, forbidden] = field.isMultiline ? ['text', /\0/] : ['a single line', /[\0\r\n]/];
    const isValid =
      value === null ||
      (typeof value === 'string' && value.length > 0 && value.length <= 8192 && !forbidden.test(value.trim()));
    return isValid ? [] : [{ pointer: `/secrets/${name}`, detail: `must be ${form} of at most 8192 characters` }];
  });
  const missing = fields
    .filter((field) => isComplete && field.required && !secrets[field.name])
    .map((field) => ({ pointer: `/secrets/${field.name}`, detail: `${field.label} is required` }));
  return [...invalid, ...missing];
}

function settingFault(field: ConnectorField, value: unknown): string | null {
  if (value === undefined || value === null || value === '')
    return field.required ? `${field.label} is required` : null;
  switch (field.type) {
    case 'url':
      return urlFault(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && value >= 0
        ? null
        : 'must be a number of at least 0';
    case 'containers':
      return Array.isArray(value) && value.length <= maxContainers && value.every(isText)
        ? null
        : `must be a list of at most ${maxContainers} ids`;
    case 'list':
      return Array.isArray(value) && value.length <= maxListLength && value.every(isText)
        ? null
        : `must be a list of at most ${maxListLength} strings`;
    case 'choice':
      return field.options?.includes(value as string)
        ? null
        : `must be one of: ${field.options?.join(', ') || 'none (the operator offers no value)'}`;
    default:
      return isText(value) ? null : `must be text of at most ${maxSettingLength} characters`;
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxSettingLength && value.isWellFormed() && !value.includes('\0');

function urlFault(value: unknown): string | null {
  if (!isText(value) || !URL.canParse(value)) return 'must be a full URL such as https://example.com/mcp';
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https:// or http://';
  if (url.username || url.password) return 'must not contain a user name or password; use the credential fields';
  return url.hash ? 'must not contain a fragment (#…)' : null;
}

/** undefined leaves a setting unchanged, null removes it. */
export const mergedSettings = (before: Settings, changes: Settings): Settings =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(
      ([, value]) => value !== null && value !== undefined && value !== '',
    ),
  );

/** For the audit log, which is never edited: the query of a URL may contain a key. */
export const withoutQueries = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, withoutQuery(value)]));

export function withoutQuery(value: Settings[string]): Settings[string] {
  if (typeof value !== 'string' || !/^https?:/i.test(value) || !URL.canParse(value)) return value;
  const { origin, pathname } = new URL(value);
  return origin + pathname;
}
