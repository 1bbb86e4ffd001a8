import { Alert, Box, Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconAlertTriangle, IconUsers } from '@tabler/icons-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Approval } from './approval-query.ts';

const previewQuery = graphql(`
  query PreviewCallEdit($input: EditCallInput!) {
    previewCallEdit(input: $input) {
      state
      reason
      steps
      candidates {
        id
        name
        mayDecide
      }
    }
  }
`);
const mutation = graphql(`
  mutation EditCall($input: EditCallInput!) {
    editCall(input: $input) {
      callId
      state
      reason
      approvalId
    }
  }
`);

type Preview = ResultOf<typeof previewQuery>['previewCallEdit'];

interface Props {
  approval: Approval;
  onCancel(): void;
  /** `approvalId`: what the edited call waits for; null: the edit ended the call. */
  onSaved(message: string, approvalId: string | null): void;
}

/** Edits the arguments of a pending call as JSON. What the edit leads to is shown before it is saved. */
export function EditArguments({ approval: { id, call }, onCancel, onSaved }: Props) {
  const [text, setText] = useState(() => JSON.stringify(JSON.parse(call.arguments ?? '{}'), null, 2));
  const [checked, setChecked] = useState<{ preview: Preview } | { problem: Problem } | null>(null);
  const [isChecking, setChecking] = useState(false);
  const { send, problem, isSending } = useChange(mutation);
  const client = useClient();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { argumentsHash, definitionHash } = call;
  const input = { approvalId: id, arguments: text, argumentsHash, definitionHash };
  const preview = checked && 'preview' in checked ? checked.preview : null;
  const refused = problem ?? (checked && 'problem' in checked ? checked.problem : null);
  const faults = refused?.code === 'invalid-edit' ? faultLines(refused, text) : [];

  const check = async () => {
    setChecking(true);
    const { data, error } = await client.query(previewQuery, { input }, { requestPolicy: 'network-only' }).toPromise();
    setChecking(false);
    setChecked(data ? { preview: data.previewCallEdit } : { problem: problemOf(error!) });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!preview) return check();
    const saved = (await send({ input }))?.editCall;
    if (!saved) return setChecked(null);
    onSaved(
      saved.state === 'denied'
        ? `The call was denied. ${saved.reason ?? ''}`
        : `Saved. Others now decide on the edited call: ${visible(call.title)}.`,
      saved.approvalId,
    );
  };
  return (
    <Box component="section" aria-labelledby="edit-arguments">
      <Title order={3} id="edit-arguments" mb="xs">
        Edit arguments
      </Title>
      <form onSubmit={(event) => void save(event)}>
        <Stack gap="sm">
          {refused && !faults.length && <ProblemNote problem={refused} />}
          <Textarea
            ref={field}
            label="Arguments (JSON)"
            description="The policies decide on the edited call. You become one of its requesters and can't approve it. Votes so far no longer count."
            autosize
            minRows={6}
            maxRows={24}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={text}
            error={faults.length > 0 && <FaultList faults={faults} />}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setChecked(null);
            }}
            onKeyDown={({ key }) => key === 'Escape' && onCancel()}
          />
          {preview && <Consequence preview={preview} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            {preview ? (
              <Button type="submit" loading={isSending} color={preview.state === 'denied' ? 'red' : undefined}>
                {preview.state === 'denied' ? 'Save and end call' : 'Save edited call'}
              </Button>
            ) : (
              <Button type="submit" loading={isChecking}>
                Check edit
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Box>
  );
}

/** What saving does. Announced to screen readers. */
function Consequence({ preview: { state, reason, steps, candidates } }: { preview: Preview }) {
  if (state === 'denied')
    return (
      <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Ends the call" role="status">
        <Untrusted text={reason ?? ''} />
      </Alert>
    );
  const names = candidates.flatMap(({ name, mayDecide }) => (mayDecide ? [visible(name ?? 'Former member')] : []));
  return (
    <Alert color="blue" variant="light" icon={<IconUsers aria-hidden />} title="Others decide" role="status">
      <Text size="sm">
        {steps.length > 1 ? 'Steps' : 'Step'} {new Intl.ListFormat('en').format(steps.map(visible))}. Eligible:{' '}
        {new Intl.ListFormat('en').format(names)}.
      </Text>
    </Alert>
  );
}

interface FaultLine {
  /** Null: the fault has no line of its own. */
  line: number | null;
  name: string;
  detail: string;
}

/** Inside the paragraph of the field's error, so it consists of spans. */
const FaultList = ({ faults }: { faults: FaultLine[] }) =>
  faults.map(({ line, name, detail }) => (
    <span key={name + detail} style={{ display: 'block' }}>
      {line !== null && `Line ${line}, `}
      {name && <b>{visible(name)}: </b>}
      {visible(detail)}
    </span>
  ));

const pointerPrefix = '/input/arguments';

function faultLines({ errors, message }: Problem, text: string): FaultLine[] {
  if (!errors.length) return [{ line: null, name: '', detail: message }];
  return errors.map(({ pointer, detail }) => {
    const path = pointer.slice(pointerPrefix.length + 1);
    const key = path.split('/').findLast((part) => part && !/^\d+$/.test(part));
    const at = key === undefined ? -1 : text.split('\n').findIndex((one) => one.includes(JSON.stringify(key)));
    return { line: at === -1 ? null : at + 1, name: path, detail };
  });
}
