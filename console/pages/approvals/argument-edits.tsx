import { Box, Button, Code, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { ApprovalCall } from './approval-query.ts';

type CallEdit = ApprovalCall['edits'][number];
type Change = NonNullable<CallEdit['changes']>[number];

/** What approvers changed, edit by edit. Nothing if no one edited the call. */
export function ArgumentEdits({ call: { edits } }: { call: ApprovalCall }) {
  if (!edits.length) return null;
  return (
    <Box component="section" aria-labelledby="edits">
      <Title order={3} id="edits" mb="xs">
        Edited arguments
      </Title>
      <Stack>
        {edits.map((edit) => (
          <Edit key={edit.editedAt} edit={edit} />
        ))}
      </Stack>
    </Box>
  );
}

const Edit = ({ edit: { editorName, editedAt, changes } }: { edit: CallEdit }) => (
  <div>
    <Text size="sm" mb={4}>
      Edited by <Untrusted text={editorName ?? 'a former member'} />, <When at={editedAt} />. Others approve the edited
      call.
    </Text>
    {changes ? (
      <ChangeTable changes={changes} />
    ) : (
      <Text size="sm" c="dimmed">
        These changes can&apos;t be decrypted.
      </Text>
    )}
  </div>
);

const ChangeTable = ({ changes }: { changes: Change[] }) => (
  <Table withTableBorder>
    <Table.Thead>
      <Table.Tr>
        <Table.Th scope="col">Argument</Table.Th>
        <Table.Th scope="col">Before</Table.Th>
        <Table.Th scope="col">After</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {changes.map((change) => (
        <ChangeRow key={change.pointer} change={change} />
      ))}
    </Table.Tbody>
  </Table>
);

function ChangeRow({ change: { pointer, before, after, mayBeSecret } }: { change: Change }) {
  const [isHidden, setHidden] = useState(mayBeSecret);
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <Untrusted text={pointer.slice(1)} />
      </Table.Th>
      {isHidden ? (
        <Table.Td colSpan={2}>
          <Button size="compact-sm" variant="light" onClick={() => setHidden(false)}>
            Show
          </Button>
        </Table.Td>
      ) : (
        <>
          <Table.Td>
            <Value json={before} />
          </Table.Td>
          <Table.Td>
            <Value json={after} />
          </Table.Td>
        </>
      )}
    </Table.Tr>
  );
}

const Value = ({ json }: { json: string | null }) =>
  json === null ? (
    <Text size="sm" c="dimmed">
      None
    </Text>
  ) : (
    <Code className="verbatim">
      <Untrusted text={json} />
    </Code>
  );
