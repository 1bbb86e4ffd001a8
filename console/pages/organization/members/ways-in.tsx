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
  query WaysIn($memberId: ID!) {
    waysIn(memberId: $memberId) {
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

/** How somebody can sign in. Only they themselves change it. */
export function WaysIn({ memberId }: { memberId: string }) {
  const [asked, again] = useQuery({ query, variables: { memberId } });
  return (
    <Section title="Ways in" lead="They change these themselves, on their account page.">
      <Loaded asked={asked} again={again}>
        {({ waysIn: { hasPassword, wantsSecondFactor, passkeys, identities } }) => (
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            <Way icon={IconLock} what={hasPassword ? 'A password' : 'No password'}>
              {hasPassword && wantsSecondFactor && 'followed by a passkey'}
            </Way>
            {passkeys.map(({ id, name, isSynced, usedAt }) => (
              <Way key={id} icon={IconFingerprint} what={<Untrusted text={`Passkey ${name}`} />}>
                {isSynced ? 'on several devices' : 'on one device'}, used <When at={usedAt} never="never" />
              </Way>
            ))}
            {identities.map(({ id, issuer, email, usedAt }) => (
              <Way key={id} icon={IconId} what={<Untrusted text={issuer} />}>
                as <Untrusted text={email} />, used <When at={usedAt} never="never" />
              </Way>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

const Way = ({ icon: Picture, what, children }: { icon: Icon; what: ReactNode; children?: ReactNode }) => (
  <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
    <Picture size={18} stroke={1.6} aria-hidden />
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
