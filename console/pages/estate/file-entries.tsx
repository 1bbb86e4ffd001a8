import { Accordion, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { ApproveEntry } from './approve.tsx';
import { Definition, type EntryNode } from './definition.tsx';

export function FileEntries({ entries }: { entries: readonly EntryNode[] }) {
  const may = useMay();
  const [approved, setApproved] = useState<EntryNode | null>(null);
  return (
    <>
      <Accordion variant="contained" multiple defaultValue={entries.length === 1 ? [entries[0].id] : []}>
        {entries.map((entry) => (
          <Accordion.Item key={entry.id} value={entry.id} bg="var(--sheet)">
            <Accordion.Control>
              <Untrusted text={entry.name} />
            </Accordion.Control>
            <Accordion.Panel>
              <Definition entry={entry} />
              <Group mt="sm">
                <Button component={Link} to={`/estate/servers/${entry.serverId}`} size="xs" variant="default">
                  View server
                </Button>
                {may('estate:manage') && !entry.approvedBy && (
                  <Button size="xs" variant="default" onClick={() => setApproved(entry)}>
                    Approve definition
                  </Button>
                )}
              </Group>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {approved && <ApproveEntry entry={approved} onClose={() => setApproved(null)} />}
    </>
  );
}
