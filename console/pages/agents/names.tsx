import { Text } from '@mantine/core';
import { Fragment } from 'react';
import { Untrusted } from '../../kit/untrusted.tsx';

/** A comma-separated list of names, or a placeholder. */
export const Names = ({ of, none }: { of: readonly { id: string; name: string }[]; none: string }) =>
  of.length ? (
    <span>
      {of.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <Untrusted text={name} />
        </Fragment>
      ))}
    </span>
  ) : (
    <Text span inherit c="dimmed">
      {none}
    </Text>
  );
