import { Button, Checkbox, Group, MultiSelect, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import {
  type NotificationKind,
  notificationKindList,
  notificationKindNames,
} from '../../../features/notifications/kinds.ts';
import { listAbove } from '../../../kit/list-above.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { faultOf, listFaultOf, useChange } from '../../../kit/use-change.tsx';

const createChannel = graphql(`
  mutation CreateNotificationChannel($input: CreateNotificationChannelInput!) {
    createNotificationChannel(input: $input) {
      signingSecret
      channel {
        id
      }
    }
  }
`);

const stepNames = graphql(`
  query ApprovalStepNames {
    approvalSteps {
      name
    }
  }
`);

export const channelKindNames = {
  webhook: 'Signed webhook',
  slack: 'Slack app',
  slack_webhook: 'Slack incoming webhook',
  teams: 'Microsoft Teams webhook',
} as const;
type ChannelKind = keyof typeof channelKindNames;

const kindChoices = Object.entries(channelKindNames).map(([value, label]) => ({ value, label }));
const fields = ['name', 'address', 'token', 'slackChannel', 'slackSigningSecret', 'kinds', 'stepNames'];

export function ChannelForm({ onCreated }: { onCreated(signingSecret: string | null): void }) {
  const form = useForm({
    initialValues: {
      name: '',
      kind: 'webhook' as ChannelKind,
      address: '',
      token: '',
      slackChannel: '',
      slackSigningSecret: '',
      sendsDirectMessages: false,
      kinds: ['approval_requested'] as NotificationKind[],
      stepNames: [] as string[],
    },
  });
  const [{ data }] = useQuery({ query: stepNames });
  const { send, problem, isSending } = useChange(createChannel, {
    done: 'Channel added.',
    onDone: ({ createNotificationChannel: { signingSecret } }) => onCreated(signingSecret),
  });
  const fault = (field: string) => faultOf(problem, field);
  const isSlackApp = form.values.kind === 'slack';
  const submit = form.onSubmit(
    ({ kind, address, token, slackChannel, slackSigningSecret, sendsDirectMessages, ...common }) =>
      send({
        input: isSlackApp
          ? {
              ...common,
              kind,
              token,
              slackChannel,
              slackSigningSecret: slackSigningSecret || null,
              sendsDirectMessages,
            }
          : { ...common, kind, address, sendsDirectMessages: false },
      }),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !fields.some(fault) && <ProblemNote problem={problem} />}
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} error={fault('name')} />
        <Select label="Type" data={kindChoices} allowDeselect={false} {...form.getInputProps('kind')} />
        {isSlackApp ? (
          <>
            <PasswordInput
              label="Bot token"
              description="With the scopes chat:write and, for direct messages, users:read.email. Not shown again."
              autoComplete="off"
              required
              {...form.getInputProps('token')}
              error={fault('token')}
            />
            <TextInput
              label="Channel"
              description="The id of a channel that the app is a member of."
              required
              {...form.getInputProps('slackChannel')}
              error={fault('slackChannel')}
            />
            <PasswordInput
              label="Slack signing secret"
              description="Only to let members decide in Slack: from the basic information of the app. Not shown again."
              autoComplete="off"
              {...form.getInputProps('slackSigningSecret')}
              error={fault('slackSigningSecret')}
            />
            <Checkbox
              label="Members can choose direct messages"
              {...form.getInputProps('sendsDirectMessages', { type: 'checkbox' })}
            />
          </>
        ) : (
          <TextInput
            label="URL"
            description="Not shown again."
            required
            {...form.getInputProps('address')}
            error={fault('address')}
          />
        )}
        <Checkbox.Group
          label="Receives"
          value={form.values.kinds}
          onChange={(kinds) => form.setFieldValue('kinds', kinds as NotificationKind[])}
          error={fault('kinds')}
        >
          <Stack gap="xs" mt="xs">
            {notificationKindList.map((kind) => (
              <Checkbox key={kind} value={kind} label={notificationKindNames[kind]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <MultiSelect
          label="Approval steps"
          description="Leave empty for approvals of all steps."
          data={data?.approvalSteps.map(({ name }) => name) ?? []}
          comboboxProps={listAbove}
          {...form.getInputProps('stepNames')}
          error={listFaultOf(problem, 'stepNames')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Add channel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
