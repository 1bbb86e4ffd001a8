import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { visible } from '../../kit/visible.ts';
import { type UnitKind, useUnits } from './use-units.ts';

interface Props {
  kind: UnitKind;
  value?: string | null;
  onChange?(id: string | null): void;
  error?: ReactNode;
}

const labels: Record<UnitKind, string> = { group: 'Group', cost_centre: 'Cost centre' };

/** Selects a group or cost centre, or none. */
export function UnitSelect({ kind, ...input }: Props) {
  const { units } = useUnits(kind);
  return (
    <Select
      label={labels[kind]}
      placeholder="None"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${labels[kind]}` }}
      nothingFoundMessage="No matches"
      data={(units ?? []).map(({ id, name }) => ({ value: id, label: visible(name) }))}
      {...input}
    />
  );
}
