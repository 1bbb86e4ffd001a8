import { Button, Checkbox, Group, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../../kit/use-change.tsx';
import { type StreamKind, streamKindNames } from './streams-query.ts';

const createStream = graphql(`
  mutation CreateAuditStream($input: CreateAuditStreamInput!) {
    createAuditStream(input: $input) {
      signingSecret
      stream {
        id
      }
    }
  }
`);

const kindChoices = Object.entries(streamKindNames).map(([value, label]) => ({ value, label }));
const addressFields: Record<StreamKind, { label: string; description: string }> = {
  otlp: { label: 'URL', description: 'Complete, such as https://collector.example.com/v1/logs. Not shown again.' },
  syslog: { label: 'Server', description: 'Host and port, such as logs.example.com:6514.' },
  webhook: { label: 'URL', description: 'Not shown again.' },
};
const fields = ['input/name', 'address', 'headers', 'headers/0/name', 'headers/0/value', 'caCertificate'];

export function StreamForm({ onCreated }: { onCreated(signingSecret: string | null): void }) {
  const form = useForm({
    initialValues: {
      name: '',
      kind: 'otlp' as StreamKind,
      address: '',
      header: '',
      headerValue: '',
      caCertificate: '',
      startsAtBeginning: false,
    },
  });
  const { send, problem, isSending } = useChange(createStream, {
    done: 'Stream added.',
    onDone: ({ createAuditStream: { signingSecret } }) => onCreated(signingSecret),
  });
  const fault = (field: string) => faultOf(problem, field);
  const { kind } = form.values;
  const submit = form.onSubmit(({ name, address, header, headerValue, caCertificate, startsAtBeginning }) =>
    send({
      input: {
        name,
        kind,
        address: address.trim(),
        headers: kind !== 'syslog' && header ? [{ name: header.trim(), value: headerValue }] : [],
        caCertificate: kind === 'syslog' && caCertificate.trim() ? caCertificate : null,
        fromPosition: startsAtBeginning ? 0 : null,
      },
    }),
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !fields.some(fault) && <ProblemNote problem={problem} />}
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} error={fault('input/name')} />
        <Select label="Type" data={kindChoices} allowDeselect={false} {...form.getInputProps('kind')} />
        <TextInput {...addressFields[kind]} required {...form.getInputProps('address')} error={fault('address')} />
        {kind !== 'syslog' && (
          <Group grow align="flex-start">
            <TextInput
              label="Header name"
              description="For the receiver's API key, such as Authorization."
              {...form.getInputProps('header')}
              error={fault('headers') ?? fault('headers/0/name')}
            />
            <PasswordInput
              label="Header value"
              description="Not shown again."
              autoComplete="off"
              {...form.getInputProps('headerValue')}
              error={fault('headers/0/value')}
            />
          </Group>
        )}
        {kind === 'syslog' && (
          <Textarea
            label="CA certificate"
            description="In PEM. Leave empty if a public authority issued the server's certificate."
            autosize
            minRows={3}
            maxRows={8}
            {...form.getInputProps('caCertificate')}
            error={fault('caCertificate')}
          />
        )}
        <Checkbox
          label="Send all earlier events too"
          {...form.getInputProps('startsAtBeginning', { type: 'checkbox' })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Add stream
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
