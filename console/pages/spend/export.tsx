import { Button, Checkbox, Paper, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../app/me.tsx';
import { PeriodBar } from './period-bar.tsx';
import { type Question, useQuestion } from './use-question.ts';

const files = [
  {
    name: 'usage.csv',
    label: 'Usage',
    holds: 'A row is a day of a connection and a group and cost centre, with every metric.',
    namesPeople: true,
  },
  {
    name: 'focus.csv',
    label: 'FOCUS 1.2',
    holds: 'The same by model, in the columns of the FinOps specification, for tools that read bills.',
    namesPeople: true,
  },
  {
    name: 'coverage.csv',
    label: 'Coverage',
    holds: 'What is known of each day of each connection; lost days are only here.',
    namesPeople: false,
  },
];

/** Files of the period and filters above. They are downloads, not pages. */
export function Component() {
  const question = useQuestion();
  const may = useMay();
  const [namesPeople, setNamesPeople] = useState(false);
  return (
    <>
      <PeriodBar />
      <Paper>
        <Table>
          <Table.Tbody>
            {files.map((file) => (
              <Table.Tr key={file.name}>
                <Table.Td>
                  <Text fw={600} size="sm">
                    {file.label}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {file.holds}
                  </Text>
                </Table.Td>
                <Table.Td ta="end" w="1%">
                  <Button
                    component="a"
                    href={addressOf(file.name, question, namesPeople && file.namesPeople)}
                    download
                    variant="default"
                    size="xs"
                    leftSection={<IconDownload size={16} aria-hidden />}
                  >
                    {file.name}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Stack gap={4} mt="md">
        {may('spend:people') && (
          <Checkbox
            label="Name single people, as far as they are shown to me"
            description="All others stay in the sums of their group, so that a file always adds up to the whole. This is recorded."
            checked={namesPeople}
            onChange={({ currentTarget }) => setNamesPeople(currentTarget.checked)}
          />
        )}
        <Text size="sm" c="dimmed" mt="xs">
          Empty cells are not known, which 0 is not. A file that breaks off was not finished.
        </Text>
      </Stack>
    </>
  );
}

function addressOf(name: string, { from, to, where }: Question, namesPeople: boolean): string {
  const params = new URLSearchParams({ from, to });
  for (const id of where.connectionIds ?? []) params.append('connection', id);
  for (const id of where.groupIds ?? []) params.append('group', id);
  for (const id of where.costCentreIds ?? []) params.append('costCentre', id);
  if (namesPeople) params.set('people', 'true');
  return `/console/exports/${name}?${params}`;
}
