import { ActionIcon, Button, Menu, Stack, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { Navigate, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { CopyField } from '../../../kit/copy.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { ConflictNotice, useFormBaseline } from '../../../kit/use-form-baseline.tsx';
import { visible } from '../../../kit/visible.ts';
import { Component as NothingHere } from '../../../kit/nothing-here.tsx';
import { ProviderForm } from './provider-form.tsx';
import { type Provider, providersQuery } from './providers.ts';
import { VerifiedAddressesNote } from './verified-addresses-note.tsx';

const updateSignInProvider = graphql(`
  mutation UpdateSignInProvider($input: UpdateSignInProviderInput!) {
    updateSignInProvider(input: $input) {
      id
      name
      issuer
      clientId
      emailDomains
      createsMembers
      disabledAt
      redirectUri
      version
      groups {
        id
        name
      }
    }
  }
`);
const removeSignInProvider = graphql(`
  mutation RemoveSignInProvider($input: SignInProviderInput!) {
    removeSignInProvider(input: $input) {
      id
    }
  }
`);

export function Component() {
  const { id } = useParams();
  const [result, refetch] = useQuery({ query: providersQuery });
  useChangeEvents('organization', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ signInProviders }) => {
        const provider = signInProviders.find((provider) => provider.id === id);
        return provider ? <ProviderPage key={provider.id} provider={provider} /> : <NothingHere />;
      }}
    </Loaded>
  );
}

function ProviderPage({ provider }: { provider: Provider }) {
  const [isRemoved, setRemoved] = useState(false);
  if (isRemoved) return <Navigate to="/organization/sign-in" replace />;
  return (
    <Page
      title={visible(provider.name)}
      heading={
        <>
          <Untrusted text={provider.name} /> {provider.disabledAt && <StateBadge state="paused" label="Disabled" />}
        </>
      }
      trail={[['Sign-in', '/organization/sign-in']]}
      actions={<Actions provider={provider} onRemoved={() => setRemoved(true)} />}
    >
      <Section title="Provider configuration">
        <CopyField
          label="Redirect URI"
          value={provider.redirectUri}
          hint="Register this URI with the provider, exactly as shown."
        />
      </Section>
      <Settings provider={provider} />
    </Page>
  );
}

function Settings({ provider }: { provider: Provider }) {
  const { seen, see, isOutdated } = useFormBaseline(provider);
  const { send, problem, isSending, forget } = useChange(updateSignInProvider, {
    done: 'Provider saved.',
    onDone: ({ updateSignInProvider }) => see(updateSignInProvider),
  });
  const loadLatest = () => {
    see(provider);
    forget();
  };
  const { name, issuer, clientId, emailDomains, createsMembers, groups, version } = seen;
  return (
    <Section title="Settings">
      {isOutdated && <ConflictNotice onCatchUp={loadLatest} />}
      <ProviderForm
        key={version}
        values={{
          ...{ name, issuer, clientId, emailDomains, createsMembers },
          clientSecret: '',
          groupIds: groups.map(({ id }) => id),
        }}
        coveredDomains={provider.disabledAt ? [] : emailDomains}
        secretHint="Leave empty to keep the stored secret. A new issuer or client ID requires the secret again."
        verb="Save changes"
        problem={problem}
        isSending={isSending}
        onSave={({ clientSecret, ...values }) =>
          send({
            input: {
              providerId: seen.id,
              basedOn: version,
              ...values,
              ...(clientSecret && { clientSecret }),
            },
          })
        }
      />
    </Section>
  );
}

function Actions({ provider, onRemoved }: { provider: Provider; onRemoved(): void }) {
  const [isRemoving, setRemoving] = useState(false);
  const [isDisabling, setDisabling] = useState(false);
  const { id: providerId, name, emailDomains, disabledAt } = provider;
  const enable = useChange(updateSignInProvider, { done: 'Provider enabled.', isLoud: true });
  const closeDisabling = () => setDisabling(false);
  const disable = useChange(updateSignInProvider, {
    done: 'Provider disabled.',
    onDone: closeDisabling,
    onProposed: closeDisabling,
  });
  const remove = useChange(removeSignInProvider, {
    done: 'Provider removed.',
    onDone: onRemoved,
    onProposed: () => setRemoving(false),
  });
  return (
    <>
      <Button
        variant="default"
        loading={enable.isSending}
        onClick={() => (disabledAt ? void enable.send({ input: { providerId, isEnabled: true } }) : setDisabling(true))}
      >
        {disabledAt ? 'Enable provider' : 'Disable provider'}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More about this provider">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" onClick={() => setRemoving(true)}>
            Remove provider
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={isDisabling}
        onClose={closeDisabling}
        title="Disable provider?"
        verb="Disable provider"
        problem={disable.problem}
        isSending={disable.isSending}
        onConfirm={() => void disable.send({ input: { providerId, isEnabled: false } })}
      >
        <Stack gap="sm">
          <Text size="sm">
            Members can no longer sign in with this provider until you enable it. Existing sessions continue.
          </Text>
          <VerifiedAddressesNote domains={emailDomains} />
        </Stack>
      </Confirm>
      <Confirm
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove provider?"
        verb="Remove provider"
        name={visible(name)}
        problem={remove.problem}
        isSending={remove.isSending}
        onConfirm={() => remove.send({ input: { providerId } })}
      >
        <Stack gap="sm">
          <Text size="sm">
            Members can no longer sign in with this provider. Existing sessions continue. Members without another
            sign-in method need a link from you. If you add the same issuer again, members keep their accounts.
          </Text>
          {!disabledAt && <VerifiedAddressesNote domains={emailDomains} />}
        </Stack>
      </Confirm>
    </>
  );
}
