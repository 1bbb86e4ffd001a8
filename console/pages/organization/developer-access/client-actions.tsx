import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import type { Client } from './client-fields.ts';

const disableOauthClient = graphql(`
  mutation DisableOauthClient($input: OauthClientInput!) {
    disableOauthClient(input: $input) {
      id
      status
    }
  }
`);
const enableOauthClient = graphql(`
  mutation EnableOauthClient($input: OauthClientInput!) {
    enableOauthClient(input: $input) {
      id
      status
    }
  }
`);
const revokeOauthClient = graphql(`
  mutation RevokeOauthClient($input: OauthClientInput!) {
    revokeOauthClient(input: $input) {
      id
      status
    }
  }
`);

export function ClientActions({ client: { id, name, status } }: { client: Client }) {
  const [isRevoking, setRevoking] = useState(false);
  const disable = useChange(disableOauthClient, {
    done: 'Client disabled. Its next request is rejected.',
    isLoud: true,
  });
  const enable = useChange(enableOauthClient, { done: 'Client enabled.', isLoud: true });
  const revoke = useChange(revokeOauthClient, { done: 'Client revoked.', onDone: () => setRevoking(false) });
  const variables = { input: { clientId: id } };
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More about this client">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'active' ? (
            <Menu.Item onClick={() => disable.send(variables)}>Disable client</Menu.Item>
          ) : (
            <Menu.Item onClick={() => enable.send(variables)}>Enable client</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => setRevoking(true)}>
            Revoke client
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={isRevoking}
        onClose={() => setRevoking(false)}
        title="Revoke client?"
        verb="Revoke client"
        name={visible(name)}
        problem={revoke.problem}
        isSending={revoke.isSending}
        onConfirm={() => revoke.send(variables)}
      >
        <Text size="sm">
          Its requests are rejected and all of its user grants end immediately. You can't undo this. To stop the client
          temporarily, disable it instead.
        </Text>
      </Confirm>
    </>
  );
}
