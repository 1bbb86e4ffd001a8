import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react';
import { Facts } from '../../kit/facts.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { Integration } from './integration-query.ts';
import type { OverviewData } from './overview-query.ts';

/** A sign-in server that an administrator has to confirm before people can connect their accounts. */
export function UnconfirmedServer({ of: { id, name }, overview }: { of: Integration; overview: OverviewData }) {
  const server = overview.connection.pendingAuthorizationServer;
  if (!server) return null;
  const { issuer, confirmedIssuer } = server;
  const isOther = confirmedIssuer !== issuer;
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="lg"
      icon={<IconAlertTriangle aria-hidden />}
      title={confirmedIssuer ? 'Sign-in server changed' : 'Sign-in server not confirmed'}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {confirmedIssuer && (isOther ? 'The server names another sign-in server. ' : 'Its endpoints changed. ')}
          <Untrusted text={name} /> would send people to <Untrusted text={server.authorizationEndpoint} /> to sign in.
          New sign-ins are blocked until an administrator confirms {confirmedIssuer ? 'the change' : 'this server'}.
          {confirmedIssuer && ' Connected accounts keep working.'}
        </Text>
        <Facts
          facts={[
            [confirmedIssuer && isOther ? 'New issuer' : 'Issuer', <Untrusted key="issuer" text={issuer} />],
            ['Confirmed issuer', confirmedIssuer && isOther && <Untrusted text={confirmedIssuer} />],
            ['Blocked since', <When key="found" at={server.foundAt} />],
          ]}
        />
        <Button
          component="a"
          href={`/connections/${id}/connect`}
          variant="default"
          rightSection={<IconExternalLink size={16} aria-hidden />}
        >
          Review sign-in server
        </Button>
        <Text size="xs">The review is the first step of connecting your own account.</Text>
      </Stack>
    </Alert>
  );
}
