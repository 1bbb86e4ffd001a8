import { Anchor, Button, Stack, Switch, Text } from '@mantine/core';
import { IconId } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useNews } from '../../../api/live.ts';
import { useMe } from '../../../app/me.tsx';
import { allAtOnce } from '../../../kit/all-at-once.ts';
import { CopyField } from '../../../kit/copy.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { type Provider, providersQuery } from './providers.ts';

const tenantQuery = graphql(`
  query SecondFactor {
    tenant {
      id
      requiresSecondFactor
    }
  }
`);
const requireSecondFactor = graphql(`
  mutation RequireSecondFactor($input: RequireSecondFactorInput!) {
    requireSecondFactor(input: $input) {
      id
      requiresSecondFactor
    }
  }
`);

const columns: Column<Provider>[] = [
  { label: 'Name', cell: ({ name }) => <Untrusted text={name} /> },
  { label: 'Issuer', cell: ({ issuer }) => <Untrusted text={issuer} /> },
  { label: 'Domains', cell: ({ emailDomains }) => emailDomains.join(', ') },
  {
    label: 'State',
    cell: ({ disabledAt }) =>
      disabledAt ? <StateBadge state="paused" label="switched off" /> : <StateBadge state="active" />,
  },
];

export const Component = () => (
  <Page
    title="Sign-in"
    lead="How the people of your organization prove who they are."
    actions={
      <Button component={Link} to="/organization/sign-in/new">
        Add a provider
      </Button>
    }
  >
    <Providers />
    <SecondFactor />
    <SignInPage />
  </Page>
);

function Providers() {
  const [asked, again] = useQuery({ query: providersQuery });
  useNews('organization', () => again({ requestPolicy: 'network-only' }));
  return (
    <Loaded asked={asked} again={again}>
      {({ signInProviders }) => (
        <Stack gap={0} mb="lg">
          <Rows
            label="Sign-in providers"
            pages={allAtOnce(signInProviders)}
            columns={columns}
            keyOf={({ id }) => id}
            to={({ id }) => `/organization/sign-in/${id}`}
            empty={
              <Empty icon={IconId} title="No provider yet">
                With an OpenID Connect provider (Entra ID, Okta, Google Workspace, Keycloak…) people sign in with the
                account that they have anyway. Until then they use a password or a passkey.
              </Empty>
            }
          />
        </Stack>
      )}
    </Loaded>
  );
}

function SecondFactor() {
  const [asked, again] = useQuery({ query: tenantQuery });
  const { send, isSending } = useChange(requireSecondFactor, { done: 'Saved.', isLoud: true });
  return (
    <Section
      title="Passkeys"
      lead="A passkey is kept by a device or a password manager, opened by a finger, a face or a PIN, and works on this address alone: nobody can be tricked into giving it away."
    >
      <Stack>
        <Loaded asked={asked} again={again}>
          {({ tenant: { requiresSecondFactor } }) => (
            <Switch
              label="Ask for a passkey after the password"
              description="Of everybody who has one. Members without a passkey come in with the password alone, so that they can add one. A provider has its own rules for this."
              checked={requiresSecondFactor}
              disabled={isSending}
              onChange={({ currentTarget }) => send({ input: { isRequired: currentTarget.checked } })}
            />
          )}
        </Loaded>
        <Text size="sm">
          Everybody adds their own under{' '}
          <Anchor href="/account/ways-in" underline="always">
            Ways to sign in
          </Anchor>
          . Who has one is on each member’s page.
        </Text>
      </Stack>
    </Section>
  );
}

function SignInPage() {
  const { tenant } = useMe();
  return (
    <Section title="The sign-in page">
      <CopyField
        label="Its address"
        value={`${location.origin}/sign-in?organization=${tenant.slug}`}
        hint="For your intranet, or to bookmark."
      />
    </Section>
  );
}
