import { Anchor, Button, List } from '@mantine/core';
import { Substitutes } from '../../features/members/substitutes.tsx';
import { roleNames } from '../../features/members/roles.tsx';
import { Facts } from '../../kit/facts.tsx';
import { useMe } from '../../kit/me.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useSignOut } from '../../kit/use-sign-out.ts';
import { ChangePassword } from './change-password.tsx';
import { NotificationPreferences } from './notification-preferences.tsx';
import { Sessions } from './sessions.tsx';
import { SlackAccount } from './slack-account.tsx';
import { Terminals } from './terminals.tsx';

export function Component() {
  const { member, tenant } = useMe();
  const { signOut, isSending } = useSignOut();
  return (
    <Page
      title="Account"
      actions={
        <Button variant="default" loading={isSending} onClick={signOut}>
          Sign out
        </Button>
      }
    >
      <Section title="Profile" lead="An administrator can change these.">
        <Facts
          facts={[
            ['Name', <Untrusted text={member.name} />],
            ['Email', <Untrusted text={member.email} />],
            ['Organization', <Untrusted text={tenant.name} />],
            ['Roles', roleNames(member.roles)],
            ['Groups', <Untrusted text={member.groups.map(({ name }) => name).join(', ') || 'None'} />],
          ]}
        />
      </Section>
      <NotificationPreferences />
      <Substitutes />
      <SlackAccount />
      <ChangePassword />
      <Sessions />
      <Terminals />
      <Section title="Sign-in and connections">
        <List size="sm" spacing="xs" listStyleType="none">
          {personalPages.map(([href, label]) => (
            <List.Item key={href}>
              <Anchor href={href} size="sm" underline="always">
                {label}
              </Anchor>
            </List.Item>
          ))}
        </List>
      </Section>
    </Page>
  );
}

const personalPages = [
  ['/account/ways-in', 'Passkeys and sign-in providers'],
  ['/connections', 'Connected accounts'],
  ['/connected', 'Connected products'],
  ['/assistants', 'Assistant setup'],
] as const;
