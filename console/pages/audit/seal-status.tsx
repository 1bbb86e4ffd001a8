import { Anchor, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { count } from '../../kit/figures.ts';
import { When } from '../../kit/when.tsx';

const sealQuery = graphql(`
  query AuditSeal {
    auditSeal {
      size
      at
      removed
    }
  }
`);

/** Up to when events are sealed, and the head that shows later changes. */
export function SealStatus() {
  const [{ data }] = useQuery({ query: sealQuery, requestPolicy: 'cache-and-network' });
  const seal = data?.auditSeal;
  if (!data) return null;
  if (!seal)
    return (
      <Text size="sm" c="dimmed" mb="md">
        No events are sealed yet. Changes to sealed events can be detected.
      </Text>
    );
  return (
    <Text size="sm" c="dimmed" mb="md">
      {count(seal.size)} events sealed, the last time <When at={seal.at} />.{' '}
      {seal.removed > 0 && `Retention removed ${count(seal.removed)} of them and left signed tombstones. `}
      Changes to sealed events can be detected: store the signed head outside of this server.{' '}
      <Anchor href="/console/exports/audit-head.json" download inherit underline="always">
        Download signed head
      </Anchor>
    </Text>
  );
}
