import { Badge, Group } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';
import { ReportTable } from './report-table.tsx';
import { ForWhoSeesPeople } from './sight.tsx';

export const Component = () => (
  <ForWhoSeesPeople>
    <ReportTable
      by="person"
      label="People"
      nameLabel="Person"
      nameOf={({ name, identityId }) => (
        <Group gap={6} component="span">
          <Untrusted text={name ?? 'Nobody named'} />
          {identityId !== null && <Badge color="yellow">matched to nobody</Badge>}
        </Group>
      )}
    />
  </ForWhoSeesPeople>
);
