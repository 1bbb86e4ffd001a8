import { Badge, Group } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';
import { ReportTable } from './report-table.tsx';
import { IndividualUsageGuard } from './individual-usage-guard.tsx';

export const Component = () => (
  <IndividualUsageGuard>
    <ReportTable
      by="person"
      label="People"
      nameLabel="Person"
      nameOf={({ name, identityId }) => (
        <Group gap={6} component="span">
          <Untrusted text={name ?? 'Unattributed'} />
          {identityId !== null && <Badge color="yellow">Unmatched</Badge>}
        </Group>
      )}
    />
  </IndividualUsageGuard>
);
