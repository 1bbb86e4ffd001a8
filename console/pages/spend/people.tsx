import { Badge, Group } from '@mantine/core';
import { useLocation } from 'react-router';
import { Untrusted } from '../../kit/untrusted.tsx';
import { ReportTable } from './report-table.tsx';
import { IndividualUsageGuard } from './individual-usage-guard.tsx';

export const Component = () => (
  <IndividualUsageGuard>
    <People />
  </IndividualUsageGuard>
);

function People() {
  const { search } = useLocation();
  return (
    <ReportTable
      by="person"
      label="People"
      nameLabel="Person"
      to={({ id, identityId }) => `/spend/people/${id ?? `identity-${identityId}`}${search}`}
      nameOf={({ name, identityId }) => (
        <Group gap={6} component="span">
          <Untrusted text={name ?? 'Unattributed'} />
          {identityId !== null && <Badge color="yellow">Unmatched</Badge>}
        </Group>
      )}
    />
  );
}
