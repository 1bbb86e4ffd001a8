import { ActionIcon, Group, MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { listAbove } from '../../../kit/list-above.ts';
import { operatorNames } from './rule-labels.ts';
import { defaultCondition, keyOf, type Attribute, attributeLabel, attributeOf, operatorsFor } from './attributes.ts';
import type { Condition } from './use-policy-check.ts';

interface Props {
  /** From 1. */
  number: number;
  condition: Condition;
  attributes: readonly Attribute[];
  error?: string;
  onChange(condition: Condition): void;
  onRemove(): void;
}

/** One condition: attribute, operator, and value. */
export function ConditionRow({ number, condition, attributes, error, onChange, onRemove }: Props) {
  const attribute = attributeOf(condition, attributes);
  const all = attributes.some((one) => keyOf(one) === keyOf(attribute)) ? attributes : [...attributes, attribute];
  const setOperator = (chosen: Condition['test']) =>
    onChange({
      ...condition,
      test: chosen,
      type: chosen === 'given' ? 'text' : attribute.type,
      values: chosen === 'given' ? [] : chosen === 'one_of' ? condition.values : [condition.values[0] ?? ''],
    });
  return (
    <Group gap="xs" align="flex-start" role="group" aria-label={`Condition ${number}`}>
      <Select
        aria-label={`Condition ${number}: attribute`}
        data={all.map((one) => ({ value: keyOf(one), label: attributeLabel(one) }))}
        allowDeselect={false}
        searchable
        flex="2 1 12rem"
        value={keyOf(attribute)}
        onChange={(key) => onChange(defaultCondition(all.find((one) => keyOf(one) === key)!))}
      />
      <Select
        aria-label={`Condition ${number}: operator`}
        data={operatorsFor(attribute).map((name) => ({ value: name, label: operatorNames[name] }))}
        allowDeselect={false}
        flex="1 1 8rem"
        value={condition.test}
        onChange={(chosen) => chosen && setOperator(chosen as Condition['test'])}
      />
      {condition.test !== 'given' && (
        <ValueInput
          label={`Condition ${number}: value`}
          condition={condition}
          attribute={attribute}
          error={error}
          onChange={(values) => onChange({ ...condition, values })}
        />
      )}
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove condition ${number}`} onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}

interface ValueProps {
  label: string;
  condition: Condition;
  attribute: Attribute;
  error?: string;
  onChange(values: string[]): void;
}

const booleans = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

function ValueInput({ label, condition: { test, type, values }, attribute, error, onChange }: ValueProps) {
  const shared = { 'aria-label': label, error, flex: '2 1 10rem' };
  const known = type === 'truth' ? booleans : attribute.values && [...new Set([...attribute.values, ...values])];
  if (test === 'one_of')
    return known ? (
      <MultiSelect {...shared} data={known} comboboxProps={listAbove} value={values} onChange={onChange} />
    ) : (
      <TagsInput {...shared} placeholder="Type and press Enter" value={values} onChange={onChange} />
    );
  if (known && test !== 'like')
    return (
      <Select
        {...shared}
        data={known}
        allowDeselect={false}
        value={values[0]}
        onChange={(value) => value !== null && onChange([value])}
      />
    );
  return (
    <TextInput
      {...shared}
      inputMode={type === 'text' ? undefined : 'decimal'}
      placeholder={test === 'like' ? '*@example.com' : undefined}
      value={values[0] ?? ''}
      onChange={({ currentTarget: { value } }) => onChange([value])}
    />
  );
}
