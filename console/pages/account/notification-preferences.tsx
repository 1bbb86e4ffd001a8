import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import {
  type NotificationKind,
  notificationKindList,
  notificationKindNames,
} from '../../features/notifications/kinds.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { useMay } from '../../kit/me.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';

const query = graphql(`
  query OwnNotificationPreferences {
    notificationPreferences {
      email
      directMessage
      emailAvailable
      directMessageAvailable
    }
  }
`);
const update = graphql(`
  mutation UpdateNotificationPreferences($input: UpdateNotificationPreferencesInput!) {
    updateNotificationPreferences(input: $input) {
      email
      directMessage
    }
  }
`);
type Preferences = ResultOf<typeof query>['notificationPreferences'];

/** Only administrators receive the others. */
const kindsOfEveryone: NotificationKind[] = [
  'approval_requested',
  'approval_reminder',
  'approval_closed',
  'break_glass',
];
/** Overrides always reach administrators and approvers by email. */
const canBeTurnedOff = (kind: NotificationKind): boolean => kind !== 'break_glass';

/** What reaches the member where. */
export function NotificationPreferences() {
  const [result, refetch] = useQuery({ query, requestPolicy: 'cache-and-network' });
  return (
    <Section title="Notifications" lead="Choose what reaches you outside the console.">
      <Loaded result={result} refetch={refetch}>
        {({ notificationPreferences }) => <PreferencesForm saved={notificationPreferences} />}
      </Loaded>
    </Section>
  );
}

function PreferencesForm({ saved }: { saved: Preferences }) {
  const [email, setEmail] = useState<string[]>(saved.email);
  const [directMessage, setDirectMessage] = useState<string[]>(saved.directMessage);
  const isAdmin = useMay()('organization:manage');
  const kinds = isAdmin ? notificationKindList : kindsOfEveryone;
  const { send, problem, isSending } = useChange(update, { done: 'Notification settings saved.' });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({
      input: { email: email as NotificationKind[], directMessage: directMessage as NotificationKind[] },
    });
  };
  if (!saved.emailAvailable && !saved.directMessageAvailable)
    return (
      <Text size="sm" c="dimmed">
        Notifications are not set up. The operator can configure an SMTP server, and an administrator can add a Slack
        app.
      </Text>
    );
  return (
    <form onSubmit={submit} aria-label="Notification settings">
      <Stack maw="30rem">
        {problem && <ProblemNote problem={problem} />}
        {saved.emailAvailable && (
          <Kinds label="By email" kinds={kinds.filter(canBeTurnedOff)} value={email} onChange={setEmail} />
        )}
        {saved.directMessageAvailable && (
          <Kinds label="By direct message in Slack" kinds={kinds} value={directMessage} onChange={setDirectMessage} />
        )}
        <div>
          <Button type="submit" loading={isSending}>
            Save notification settings
          </Button>
        </div>
      </Stack>
    </form>
  );
}

interface KindsProps {
  label: string;
  kinds: readonly NotificationKind[];
  value: string[];
  onChange(value: string[]): void;
}

const Kinds = ({ label, kinds, value, onChange }: KindsProps) => (
  <Checkbox.Group label={label} value={value} onChange={onChange}>
    <Stack gap="xs" mt="xs">
      {kinds.map((kind) => (
        <Checkbox key={kind} value={kind} label={notificationKindNames[kind]} />
      ))}
    </Stack>
  </Checkbox.Group>
);
