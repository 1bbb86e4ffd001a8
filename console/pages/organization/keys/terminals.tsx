import { Button } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { NameAndEmail } from '../../../features/members/name-and-email.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query Devices($first: Int!, $after: String) {
    devices(first: $first, after: $after) {
      nodes {
        id
        memberName
        memberEmail
        program
        address
        scopes
        connectedAt
        usedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Device = ResultOf<typeof query>['devices']['nodes'][number];

const revokeDevice = graphql(`
  mutation RevokeDevice($input: RevokeDeviceInput!) {
    revokeDevice(input: $input)
  }
`);

/** The terminals that members connected with the command line. */
export function Component() {
  const pages = usePages({
    query,
    variables: {},
    pick: ({ devices }) => devices,
    news: ['client', 'organization'],
  });
  const columns: Column<Device>[] = [
    {
      label: 'Person',
      width: '30%',
      cell: ({ memberName, memberEmail }) => <NameAndEmail name={memberName} email={memberEmail} />,
    },
    { label: 'Program', cell: ({ program }) => <Untrusted text={program ?? 'Unknown'} /> },
    {
      label: 'Access',
      isMinor: true,
      cell: ({ scopes }) => (scopes.includes('api_write') ? 'Read and write' : 'Read'),
    },
    { label: 'Connected from', isMinor: true, cell: ({ address }) => address ?? 'Unknown' },
    { label: 'Connected', isMinor: true, cell: ({ connectedAt }) => <When at={connectedAt} /> },
    { label: 'Last used', cell: ({ usedAt }) => <When at={usedAt} /> },
    {
      label: 'Actions',
      isFigure: true,
      cell: (device) => <Disconnect device={device} onDisconnected={pages.refetch} />,
    },
  ];
  return (
    <Rows
      label="Terminals"
      pages={pages}
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <Empty icon={IconTerminal2} title="No terminals connected">
          Members connect a terminal with “countersign login”. It then acts as them, under your policies.
        </Empty>
      }
    />
  );
}

function Disconnect({ device: { id, memberName }, onDisconnected }: { device: Device; onDisconnected(): void }) {
  const { send, isSending } = useChange(revokeDevice, {
    done: 'Terminal disconnected. Its next request is rejected.',
    onDone: onDisconnected,
    isLoud: true,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isSending}
      aria-label={`Disconnect a terminal of ${visible(memberName)}`}
      onClick={() => void send({ input: { deviceId: id } })}
    >
      Disconnect
    </Button>
  );
}
