import { Box, Button, Checkbox, Divider, Group, Paper, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import { useMay } from '../../kit/me.tsx';
import { PeriodBar } from './period-bar.tsx';
import { type ReportParameters, useReportParameters } from './use-report-parameters.ts';

const files = [
  {
    name: 'usage.csv',
    label: 'Usage',
    description: 'One row for each day, integration, group, and cost centre, with all metrics.',
    includesPeople: true,
  },
  {
    name: 'focus.csv',
    label: 'FOCUS 1.2',
    description: 'Cost by model in the columns of the FinOps specification, for billing tools.',
    includesPeople: true,
  },
  {
    name: 'coverage.csv',
    label: 'Coverage',
    description: 'Coverage of each day and integration. Only this file includes lost days.',
    includesPeople: false,
  },
];

/** Downloads for the period and filters above. */
export function Component() {
  const filters = useReportParameters();
  const may = useMay();
  const [includesPeople, setIncludesPeople] = useState(false);
  return (
    <>
      <PeriodBar by={['group', 'centre', 'connection']} />
      <Paper>
        {files.map((file, at) => (
          <Fragment key={file.name}>
            {at > 0 && <Divider />}
            <Group justify="space-between" gap="xs" p="md">
              <Box flex="1 1 16rem">
                <Text fw={600} size="sm">
                  {file.label}
                </Text>
                <Text size="sm" c="dimmed">
                  {file.description}
                </Text>
              </Box>
              <Button
                component="a"
                href={addressOf(file.name, filters, includesPeople && file.includesPeople)}
                download
                variant="default"
                size="xs"
                leftSection={<IconDownload size={16} aria-hidden />}
              >
                {file.name}
              </Button>
            </Group>
          </Fragment>
        ))}
      </Paper>
      <Stack gap={4} mt="md">
        {may('spend:people') && (
          <Checkbox
            label="Include individuals that I have access to"
            description="Other people stay in the totals of their group, so totals stay complete. This export is recorded in the audit log."
            checked={includesPeople}
            onChange={({ currentTarget }) => setIncludesPeople(currentTarget.checked)}
          />
        )}
        <Text size="sm" c="dimmed" mt="xs">
          Blank means unknown; 0 means none. If a download fails, the file is incomplete.
        </Text>
      </Stack>
    </>
  );
}

function addressOf(name: string, { from, to, where }: ReportParameters, includesPeople: boolean): string {
  const params = new URLSearchParams({ from, to });
  for (const id of where.connectionIds ?? []) params.append('connection', id);
  for (const id of where.groupIds ?? []) params.append('group', id);
  for (const id of where.costCentreIds ?? []) params.append('costCentre', id);
  if (includesPeople) params.set('people', 'true');
  return `/console/exports/${name}?${params}`;
}
