import { NumberInput, PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import { ConfigurationSelect } from './configuration-select.tsx';
import { ContainerSelect } from './container-select.tsx';
import { type ConnectorField, optionLabel } from './connectors.ts';

/** Empty: '' or, for a list, []. */
export type FieldValue = string | number | string[];
export type FieldValues = Record<string, FieldValue>;

interface Props {
  field: ConnectorField;
  value: FieldValue;
  onChange(value: FieldValue): void;
  error?: string;
  placeholder?: string;
  /** False for a stored credential: it stays if the field is empty. */
  isRequired?: boolean;
  /** For fields of type `containers`. */
  connectionId?: string;
}

/** The input of one connector field. */
export function FieldInput({ field, value, onChange, isRequired = field.required, connectionId, ...more }: Props) {
  const { label, help, options, name, type } = field;
  const shared = { label, description: help, required: isRequired, name, ...more };
  const texts = { ...shared, value: String(value), autoComplete: 'off', spellCheck: false };
  const changed = ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value);
  switch (type) {
    case 'secret':
      return <PasswordInput {...texts} autoComplete="new-password" onChange={changed} />;
    case 'number':
      return (
        <NumberInput
          {...shared}
          value={value as number | string}
          min={0}
          hideControls
          onChange={onChange}
          maw="16rem"
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={(options ?? []).map((value) => ({ value, label: optionLabel(field, value) }))}
          value={String(value) || null}
          onChange={(chosen) => onChange(chosen ?? '')}
          clearable={!isRequired}
          disabled={!options?.length}
          placeholder={options?.length ? 'Select' : 'None available on this server'}
        />
      );
    case 'configuration':
      return (
        <ConfigurationSelect {...shared} value={String(value) || null} onChange={(chosen) => onChange(chosen ?? '')} />
      );
    case 'containers':
      return connectionId ? (
        <ContainerSelect {...shared} connectionId={connectionId} value={value as string[]} onChange={onChange} />
      ) : null;
    case 'list':
      return <TagsInput {...shared} value={value as string[]} onChange={onChange} placeholder="Type and press Enter" />;
    default:
      return <TextInput {...texts} type={type === 'url' ? 'url' : 'text'} onChange={changed} />;
  }
}

const isList = (type: ConnectorField['type']) => type === 'list' || type === 'containers';

export const valuesOf = (fields: readonly ConnectorField[], settings: Record<string, unknown>): FieldValues =>
  Object.fromEntries(
    fields.map(({ name, type }) => [name, (settings[name] ?? (isList(type) ? [] : '')) as FieldValue]),
  );

export const isEmpty = (value: FieldValue) => value === '' || (Array.isArray(value) && !value.length);
const isSame = (a: FieldValue, b: FieldValue) => JSON.stringify(a) === JSON.stringify(b);

/** The changes for the API. Null removes a setting. Credentials are included only if a new one was typed. */
export function changesOf(fields: readonly ConnectorField[], before: FieldValues, now: FieldValues) {
  const settings: Record<string, FieldValue | null> = {};
  const secrets: Record<string, string> = {};
  for (const { name, type } of fields) {
    if (isSame(before[name], now[name])) continue;
    if (type === 'secret') secrets[name] = String(now[name]).trim();
    else settings[name] = isEmpty(now[name]) ? null : now[name];
  }
  return { settings, secrets };
}
