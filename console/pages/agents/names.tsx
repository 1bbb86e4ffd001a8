import { Text } from '@mantine/core';
import { Fragment } from 'react';
import { Untrusted } from '../../kit/untrusted.tsx';

/** Names in a row, or what stands there where there is none. */
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
