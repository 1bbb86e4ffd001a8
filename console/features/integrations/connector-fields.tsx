import { Stack } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Disclosure } from '../../kit/disclosure.tsx';
import type { ConnectorField, Connector } from './connectors.ts';

interface Props {
  connector: Connector;
  /** A field with a value or an error is always visible. */
  isAlwaysShown(field: ConnectorField): boolean;
  /** Only a saved connection can list its containers. */
  hasContainers?: boolean;
  children(field: ConnectorField): ReactNode;
}

const visibleCount = 4;

/** The fields of a connector. Optional fields after the first four are collapsed. */
export function ConnectorFields({ connector, isAlwaysShown, hasContainers = false, children }: Props) {
  const fields = connector.fields.filter(
    ({ type, options, required }) =>
      (type !== 'choice' || required || options?.length) && (type !== 'containers' || hasContainers),
  );
  const isCollapsed = (field: ConnectorField, at: number) => at >= visibleCount && !field.required;
  const collapsed = fields.filter(isCollapsed);
  const shown = (field: ConnectorField) => <Fragment key={field.name}>{children(field)}</Fragment>;
  return (
    <>
      {fields.filter((field, at) => !isCollapsed(field, at)).map(shown)}
      {collapsed.length > 0 && (
        <Disclosure
          label={`${collapsed.length} more settings`}
          openLabel="Fewer settings"
          isForcedOpen={collapsed.some(isAlwaysShown)}
        >
          <Stack mt="md">{collapsed.map(shown)}</Stack>
        </Disclosure>
      )}
    </>
  );
}
