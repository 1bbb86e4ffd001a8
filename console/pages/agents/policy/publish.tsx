import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { TextDifference } from '../../../kit/text-difference.tsx';
import { faultOf, useChange } from '../../../kit/use-change.tsx';
import { VerdictChanges } from './verdict-changes.tsx';

const mutation = graphql(`
  mutation PublishPolicy($input: PublishPolicyInput!) {
    publishPolicy(input: $input) {
      revision
      text
    }
  }
`);

interface Props {
  configurationId: string;
  current: { revision: number; text: string } | null;
  text: string;
  /** The revision that the text is based on. */
  basedOn: number;
  /** "Roll back to revision 2" */
  title?: string;
  /** The suggested note. */
  initialNote?: string;
  opened: boolean;
  onClose(): void;
  onPublished?(revision: number): void;
}

/** Shows the changes of the text and of the verdicts before it publishes them. */
export function Publish({ configurationId, current, text, basedOn, title, initialNote = '', ...rest }: Props) {
  const { opened, onClose, onPublished } = rest;
  const [note, setNote] = useState(initialNote);
  const { send, problem, isSending, forget } = useChange(mutation, {
    done: ({ publishPolicy: { revision } }) => `Revision ${revision} is live.`,
    onDone: ({ publishPolicy: { revision } }) => {
      onPublished?.(revision);
      setNote('');
      onClose();
    },
    onProposed: onClose,
  });
  const close = () => {
    forget();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title ?? 'Publish policy?'} size="xl">
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <Text size="sm">
          Revision {(current?.revision ?? 0) + 1} applies from the next call. Pending approvals are re-evaluated: those
          with unchanged approval steps stay pending; the others end.
        </Text>
        {opened && (
          <>
            <VerdictChanges configurationId={configurationId} text={text} />
            <TextDifference
              before={current?.text ?? ''}
              now={text}
              heads={[current ? `Revision ${current.revision} (live)` : 'No policy', 'New revision']}
            />
          </>
        )}
        <Textarea
          label="Note"
          description="Why you change the policy. Shown in the list of revisions."
          maxLength={500}
          autosize
          value={note}
          error={faultOf(problem, 'note')}
          onChange={({ currentTarget: { value } }) => setNote(value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button
            loading={isSending}
            onClick={() => send({ input: { configurationId, text, basedOn, note: note.trim() || null } })}
          >
            Publish policy
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
