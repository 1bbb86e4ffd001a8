import { Group, Stack, Text } from '@mantine/core';
import { IconFingerprint, IconId, IconLock, type Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query SignInMethods($memberId: ID!) {
    signInMethods(memberId: $memberId) {
      memberId
      hasPassword
      wantsSecondFactor
      passkeys {
        id
        name
        isSynced
        usedAt
      }
      identities {
        id
        issuer
        email
        usedAt
      }
    }
  }
`);

/** The sign-in methods of a member, read-only. */
export function SignInMethods({ memberId }: { memberId: string }) {
  const [result, refetch] = useQuery({ query, variables: { memberId } });
  return (
    <Section title="Sign-in methods" lead="Members manage their sign-in methods on their account page.">
      <Loaded result={result} refetch={refetch}>
        {({ signInMethods: { hasPassword, wantsSecondFactor, passkeys, identities } }) => (
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            <Method icon={IconLock} what={hasPassword ? 'Password' : 'No password'}>
              {hasPassword && wantsSecondFactor && 'Requires a passkey as second factor'}
            </Method>
            {passkeys.map(({ id, name, isSynced, usedAt }) => (
              <Method key={id} icon={IconFingerprint} what={<Untrusted text={`Passkey ${name}`} />}>
                {isSynced ? 'Synced across devices' : 'On one device'}, last used <When at={usedAt} never="never" />
              </Method>
            ))}
            {identities.map(({ id, issuer, email, usedAt }) => (
              <Method key={id} icon={IconId} what={<Untrusted text={issuer} />}>
                Signed in as <Untrusted text={email} />, last used <When at={usedAt} never="never" />
              </Method>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

const Method = ({ icon: MethodIcon, what, children }: { icon: Icon; what: ReactNode; children?: ReactNode }) => (
  <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
    <MethodIcon size={18} stroke={1.6} aria-hidden />
    <div>
      <Text size="sm">{what}</Text>
      {children && (
        <Text size="xs" c="dimmed" component="div">
          {children}
        </Text>
      )}
    </div>
  </Group>
);
