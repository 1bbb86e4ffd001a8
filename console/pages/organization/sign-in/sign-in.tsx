import { Anchor, Button, Stack, Switch, Text } from '@mantine/core';
import { IconId } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { useMe } from '../../../kit/me.tsx';
import { singlePage } from '../../../kit/single-page.ts';
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
    label: 'Status',
    cell: ({ disabledAt }) =>
      disabledAt ? <StateBadge state="paused" label="Disabled" /> : <StateBadge state="active" />,
  },
];

export const Component = () => (
  <Page
    title="Sign-in"
    lead="How members of your organization sign in."
    actions={
      <Button component={Link} to="/organization/sign-in/new">
        Add provider
      </Button>
    }
  >
    <Providers />
    <SecondFactor />
    <SignInLink />
  </Page>
);

function Providers() {
  const [result, refetch] = useQuery({ query: providersQuery });
  useChangeEvents('organization', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ signInProviders }) => (
        <Stack gap={0} mb="lg">
          <Rows
            label="Sign-in providers"
            pages={singlePage(signInProviders)}
            columns={columns}
            keyOf={({ id }) => id}
            to={({ id }) => `/organization/sign-in/${id}`}
            empty={
              <Empty icon={IconId} title="No sign-in providers yet">
                Add an OpenID Connect provider (Entra ID, Okta, Google Workspace, Keycloak…) so that members can use
                their existing account. Until then, they use a password or passkey.
              </Empty>
            }
          />
        </Stack>
      )}
    </Loaded>
  );
}

function SecondFactor() {
  const [result, refetch] = useQuery({ query: tenantQuery });
  const { send, isSending } = useChange(requireSecondFactor, { done: 'Setting saved.', isLoud: true });
  return (
    <Section
      title="Passkeys"
      lead="A passkey is stored on a device or in a password manager and works only on this site, so it can’t be phished."
    >
      <Stack>
        <Loaded result={result} refetch={refetch}>
          {({ tenant: { requiresSecondFactor } }) => (
            <Switch
              label="Require a passkey after the password"
              description="Applies to members who have a passkey. Members without one can sign in with a password to add one. Sign-in providers have their own rules."
              checked={requiresSecondFactor}
              disabled={isSending}
              onChange={({ currentTarget }) => send({ input: { isRequired: currentTarget.checked } })}
            />
          )}
        </Loaded>
        <Text size="sm">
          Members add passkeys under{' '}
          <Anchor href="/account/ways-in" underline="always" inherit>
            Sign-in methods
          </Anchor>
          . The page of a member lists their passkeys.
        </Text>
      </Stack>
    </Section>
  );
}

function SignInLink() {
  const { tenant } = useMe();
  return (
    <Section title="Sign-in page">
      <CopyField
        label="URL"
        value={`${location.origin}/sign-in?organization=${tenant.slug}`}
        hint="Share this link on your intranet or bookmark it."
      />
    </Section>
  );
}
