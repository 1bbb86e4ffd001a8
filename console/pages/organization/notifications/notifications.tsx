import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { notificationKindNames } from '../../../features/notifications/kinds.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { NewSecret } from '../keys/new-secret.tsx';
import { ChannelForm, channelKindNames } from './channel-form.tsx';
import { ParkedNotifications } from './parked-notifications.tsx';
import { SlackDecisions } from './slack-decisions.tsx';

const query = graphql(`
  query NotificationChannels {
    notificationChannels {
      id
      name
      kind
      kinds
      target
      sendsDirectMessages
    }
  }
`);
const removeChannel = graphql(`
  mutation RemoveNotificationChannel($input: RemoveNotificationChannelInput!) {
    removeNotificationChannel(input: $input) {
      id
    }
  }
`);
type Channel = ResultOf<typeof query>['notificationChannels'][number];

export function Component() {
  const [result, reload] = useQuery({ query, requestPolicy: 'cache-and-network' });
  const [isAdding, adding] = useDisclosure();
  const refetch = () => reload({ requestPolicy: 'network-only' });
  const button = <Button onClick={adding.open}>Add channel</Button>;
  return (
    <Page
      title="Notifications"
      lead="Channels receive notifications for many people. Members choose their own on their account page."
    >
      <ParkedNotifications />
      <Section title="Channels" actions={button}>
        <Loaded result={result} refetch={reload}>
          {({ notificationChannels }) =>
            notificationChannels.length ? (
              <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Channels">
                {notificationChannels.map((channel) => (
                  <ChannelRow key={channel.id} channel={channel} onRemoved={refetch} />
                ))}
              </Stack>
            ) : (
              <Empty icon={IconBell} title="No channels yet">
                Add a Slack app, Microsoft Teams, or a webhook.
              </Empty>
            )
          }
        </Loaded>
      </Section>
      <SlackDecisions />
      <NewSecret
        opened={isAdding}
        onClose={adding.close}
        title="Add channel"
        label="Signing secret"
        hint="The receiver verifies requests with this secret, as the Standard Webhooks libraries do."
      >
        {(show) => (
          <ChannelForm
            onCreated={(secret) => {
              refetch();
              if (secret) show(secret);
              else adding.close();
            }}
          />
        )}
      </NewSecret>
    </Page>
  );
}

function ChannelRow({ channel, onRemoved }: { channel: Channel; onRemoved(): void }) {
  const { id, name, kind, kinds, target, sendsDirectMessages } = channel;
  const [isConfirming, setConfirming] = useState(false);
  const { send, problem, isSending } = useChange(removeChannel, { done: 'Channel removed.', onDone: onRemoved });
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
      <div>
        <Text size="sm" fw={500}>
          <Untrusted text={name} />
        </Text>
        <Text size="xs" c="dimmed">
          {channelKindNames[kind]}, <Untrusted text={target} />
          {sendsDirectMessages && ', direct messages'}
        </Text>
        <Text size="xs" c="dimmed">
          {kinds.map((one) => notificationKindNames[one]).join(', ') || 'Direct messages only'}
        </Text>
      </div>
      <Button
        variant="default"
        size="compact-sm"
        flex="none"
        aria-label={`Remove channel ${visible(name)}`}
        onClick={() => setConfirming(true)}
      >
        Remove
      </Button>
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Remove channel?"
        verb="Remove channel"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ input: { channelId: id } })}
      >
        <Text size="sm">
          <Untrusted text={name} /> receives no more notifications. Messages that wait for it are not sent.
        </Text>
      </Confirm>
    </Group>
  );
}
