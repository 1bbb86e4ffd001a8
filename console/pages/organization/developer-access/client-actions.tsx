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
  const disable = useChange(disableOauthClient, { done: 'Disabled: its next request is refused.', isLoud: true });
  const enable = useChange(enableOauthClient, { done: 'Enabled again.', isLoud: true });
  const revoke = useChange(revokeOauthClient, { done: 'Revoked.', onDone: () => setRevoking(false) });
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
            <Menu.Item onClick={() => disable.send(variables)}>Disable</Menu.Item>
          ) : (
            <Menu.Item onClick={() => enable.send(variables)}>Enable</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => setRevoking(true)}>
            Revoke
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={isRevoking}
        onClose={() => setRevoking(false)}
        title="Revoke this client?"
        verb="Revoke client"
        name={visible(name)}
        problem={revoke.problem}
        isSending={revoke.isSending}
        onConfirm={() => revoke.send(variables)}
      >
        <Text size="sm">
          Its next request is refused, and everything that people granted it ends, at once and for good. To stop it for
          a while, disable it instead.
        </Text>
      </Confirm>
    </>
  );
}
